/** Digests over plain bytes. */
@NullMarked
package io.artifactserver.core.digest;

import org.jspecify.annotations.NullMarked;
