package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;

/** Ciphertext in the order of its segments. Used by one thread at a time. */
sealed interface Ciphertext extends AutoCloseable {
  /** Fills {@code target} up to {@code length} with the next bytes. */
  void read(byte[] target, int length) throws StorageException;

  @Override
  void close();

  /** From a mapped file. */
  final class Mapped implements Ciphertext {
    private final FileRegion region;
    private long offset;

    Mapped(FileRegion region) {
      this.region = region;
    }

    @Override
    public void read(byte[] target, int length) {
      region.slice(offset, length).get(target, 0, length);
      offset += length;
    }

    @Override
    public void close() {
      region.close();
    }
  }

  /** From a store that has no files to map. */
  final class Streamed implements Ciphertext {
    private final RangeReader reader;

    Streamed(RangeReader reader) {
      this.reader = reader;
    }

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
    public void close() {
      reader.close();
    }
  }
}
