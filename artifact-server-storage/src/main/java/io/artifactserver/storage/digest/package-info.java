/** Digests whose state can be saved. */
@NullMarked
package io.artifactserver.storage.digest;

import org.jspecify.annotations.NullMarked;
