package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import java.nio.ByteBuffer;

/** Ciphertext in the order of its segments. Used by one thread at a time. */
sealed interface Ciphertext extends AutoCloseable {
  /**
   * Fills {@code target} up to {@code length} with the next bytes.
   *
   * @throws InternalError for a page that the disk does not deliver, here or in any code of the
   *     same thread soon after: the virtual machine goes on until its next safepoint
   */
  void read(byte[] target, int length) throws StorageException;

  /** The wait of reading the next {@code length} bytes, or the rest of them. */
  Wait waitToRead(int length);

  /** Goes back by {@code length} bytes, at no cost. Returns whether it can. */
  boolean goBack(int length);

  /** As {@link RangeReader#rest}. */
  void rest();

  @Override
  void close();

  /** From a mapped file. */
  final class Mapped implements Ciphertext {
    /** Read from a cold disk at once, in bytes: fewer and larger reads than the pieces sent. */
    private static final int READ_AHEAD = 512 * 1024;

    private final FileRegion region;
    private long offset;

    Mapped(FileRegion region) {
      this.region = region;
    }

    @Override
    public void read(byte[] target, int length) throws StorageException {
      // Or pages that are gone end in an error that comes late, and says nothing of the blob.
      region.requireWhole();
      if (!region.isResident(offset, length)) {
        region.load(offset, (int) Math.min(READ_AHEAD, region.length() - offset));
      }
      region.slice(offset, length).get(target, 0, length);
      offset += length;
    }

    @Override
    public Wait waitToRead(int length) {
      return region.isResident(offset, (int) Math.min(length, region.length() - offset))
          ? Wait.NONE
          : Wait.DISK;
    }

    @Override
    public boolean goBack(int length) {
      offset -= length;
      return true;
    }

    @Override
    public void rest() {
      // It holds what the page cache holds.
    }

    @Override
    public void close() {
      region.close();
    }
  }

  /** From a store that has no files to map. */
  record Streamed(RangeReader reader) implements Ciphertext {
    @Override
    public void read(byte[] target, int length) throws StorageException {
      ByteBuffer buffer = ByteBuffer.wrap(target, 0, length);
      while (buffer.hasRemaining()) {
        if (reader.read(buffer) < 0) {
          throw new IllegalStateException("A reader ended before its range");
        }
      }
    }

    @Override
    public Wait waitToRead(int length) {
      return reader.waitToRead(length);
    }

    @Override
    public boolean goBack(int length) {
      return false;
    }

    @Override
    public void rest() {
      reader.rest();
    }

    @Override
    public void close() {
      reader.close();
    }
  }
}
