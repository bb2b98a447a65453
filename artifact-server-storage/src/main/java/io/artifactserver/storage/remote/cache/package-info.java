/** A read-through cache of a remote backend's blobs on the local disk. */
@NullMarked
package io.artifactserver.storage.remote.cache;

import org.jspecify.annotations.NullMarked;
