package io.artifactserver.benchmarks.baseline;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Seeks by reading and discarding, as happens to a server that skips in a stream that cannot seek:
 * decrypting, inflating and HTTP streams are of that kind. Thread-safe.
 */
public final class SkippingRangeCopy {
  private final Path file;

  /**
   * @param file to read
   */
  public SkippingRangeCopy(Path file) {
    this.file = file;
  }

  /**
   * Reads a range into {@code target}, from its start. Returns the bytes read.
   *
   * @param position of the range in bytes
   * @param length in bytes
   */
  public int read(long position, int length, byte[] target) throws IOException {
    try (InputStream stream = new DiscardingInputStream(Files.newInputStream(file))) {
      stream.skipNBytes(position);
      return stream.readNBytes(target, 0, length);
    }
  }

  /** Skips as {@link InputStream} does unless told better: by reading. */
  private static final class DiscardingInputStream extends FilterInputStream {
    private static final int BUFFER_LENGTH = 8192;

    DiscardingInputStream(InputStream stream) {
      super(stream);
    }

    @Override
    public long skip(long count) throws IOException {
      byte[] discarded = new byte[BUFFER_LENGTH];
      long remaining = count;
      while (remaining > 0) {
        int n = in.read(discarded, 0, (int) Math.min(BUFFER_LENGTH, remaining));
        if (n < 0) {
          break;
        }
        remaining -= n;
      }
      return count - remaining;
    }
  }
}
