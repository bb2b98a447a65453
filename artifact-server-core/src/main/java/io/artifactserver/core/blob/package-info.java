/** The port every storage backend implements. */
@NullMarked
package io.artifactserver.core.blob;

import org.jspecify.annotations.NullMarked;
