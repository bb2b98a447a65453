package io.artifactserver.core.blob;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * A range whose bytes lie verbatim in a local file, mapped into memory. Reading a page that is not
 * in the page cache blocks on the disk, so a thread that serves others asks {@link #isResident}
 * first and leaves {@link #load} to another thread. Thread-safe, but for {@link #close}.
 */
public interface FileRegion extends AutoCloseable {
  /** Length of the region in bytes. */
  long length();

  /**
   * A read-only view of the mapped bytes; nothing is copied or read. Valid until {@link #close}.
   *
   * @param offset from the region's start, in bytes
   * @param length in bytes
   * @throws IndexOutOfBoundsException if the slice is not within the region
   * @throws IllegalStateException if the region is closed
   */
  ByteBuffer slice(long offset, int length);

  /**
   * Fails if the file has become shorter. The rest of its last page then reads as zeros; only
   * access to the pages behind that fails. May believe for some milliseconds what it has seen, and
   * does not wait for the disk.
   *
   * @throws StorageException if so
   */
  default void requireWhole() throws StorageException {}

  /** Whether the bytes are in the page cache, as far as the system tells. Takes microseconds. */
  boolean isResident(long offset, int length);

  /** Reads the bytes into the page cache. Blocks on the disk. */
  void load(long offset, int length);

  /**
   * Writes bytes to a channel; from a file the kernel sends them out of the page cache, uncopied.
   *
   * @param offset from the region's start, in bytes
   * @param length in bytes
   * @return how many the channel took, in bytes; fewer than {@code length} if it does not block
   * @throws IOException if the channel fails
   * @throws IndexOutOfBoundsException if the bytes are not within the region
   * @throws IllegalStateException if the region is closed
   */
  default long transferTo(long offset, int length, WritableByteChannel target) throws IOException {
    return target.write(slice(offset, length));
  }

  /** Gives the region back; every slice must be out of use. May be repeated. */
  @Override
  void close();
}
