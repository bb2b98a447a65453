/** The choice of the backend that keeps the blobs, and the message when one cannot be used. */
@NullMarked
package io.artifactserver.storage.backend;

import org.jspecify.annotations.NullMarked;
