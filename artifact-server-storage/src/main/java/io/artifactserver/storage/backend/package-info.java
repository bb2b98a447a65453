/** The choice of the backend that keeps the blobs. */
@NullMarked
package io.artifactserver.storage.backend;

import org.jspecify.annotations.NullMarked;
