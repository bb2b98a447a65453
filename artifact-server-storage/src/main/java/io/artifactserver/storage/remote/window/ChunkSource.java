package io.artifactserver.storage.remote.window;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;

/** Opens chunks of one blob in a remote backend. Thread-safe: many are open at once. */
@FunctionalInterface
public interface ChunkSource {
  /**
   * Asks for exactly {@code range}, with one request, and waits until the backend begins to answer:
   * until then nobody has memory for its bytes. Bytes read from the reader may be delivered before
   * the rest comes, so they have to be right for good.
   *
   * <p>Blocks, as does the reader; called on a virtual thread of its own, or on the one that reads.
   * Both give up at once when their thread is interrupted. Closing a reader before its end abandons
   * the request.
   *
   * @throws StorageException if the bytes cannot be had; classified as usual
   */
  RangeReader open(ByteRange range) throws StorageException;
}
