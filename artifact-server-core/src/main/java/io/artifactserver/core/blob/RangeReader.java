package io.artifactserver.core.blob;

import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/**
 * Delivers exactly one range, in order, or throws. Used by one thread at a time and closed by its
 * opener.
 */
public interface RangeReader extends ReadableByteChannel {
  /**
   * Reads the next bytes of the range. May block.
   *
   * @return the number of bytes read, at least 1 if the buffer has room; -1 when every byte of the
   *     range has been delivered, and never before
   * @throws StorageException if the backend ends early, delivers wrong bytes or fails
   * @throws IllegalStateException if the reader is closed
   */
  @Override
  int read(ByteBuffer target) throws StorageException;

  /** The wait of reading the next {@code length} bytes. Takes microseconds. */
  Wait waitToRead(int length);

  /**
   * The next read may be far off: gives up memory that it can fill again at little cost. No I/O.
   */
  default void rest() {}

  /** Releases what the reader holds; may be repeated. */
  @Override
  void close();
}
