/** Signatures of artifacts, verified by Bouncy Castle. */
@NullMarked
package io.artifactserver.storage.signature;

import org.jspecify.annotations.NullMarked;
