package io.artifactserver.storage.window;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;

/** Fetches chunks of one blob from a remote backend. Thread-safe: many fetches run at once. */
@FunctionalInterface
public interface ChunkSource {
  /**
   * Fetches exactly {@code range} with one request. Blocks; called on a virtual thread, or on the
   * reader's own if the range is short. Gives up at once when its thread is interrupted. Once it
   * has returned or thrown, nobody touches the buffer any more.
   *
   * @param room where the bytes go; to be asked for when the backend begins to answer, not before:
   *     a request under way then takes no memory while the backend looks for the bytes
   * @throws StorageException if the bytes cannot be had; classified as usual
   */
  void fetch(ByteRange range, Room room) throws StorageException;

  /** Memory for one chunk. Used by the fetching thread alone. */
  interface Room {
    /**
     * Waits for memory. Asked again, as after a broken connection, it gives the same buffer with
     * the bytes that have come so far before its position.
     *
     * @return a heap buffer; what remains in it is what is still missing of the range
     * @throws StorageException if the reader is closed, or failed, meanwhile
     */
    ByteBuffer take() throws StorageException;

    /**
     * Tells that the bytes before the buffer's position are right for good: a reader may have them
     * before the rest comes. Optional.
     */
    void advanced();
  }
}
