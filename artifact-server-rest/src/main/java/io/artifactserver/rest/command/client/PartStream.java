package io.artifactserver.rest.command.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Reads a part of a file for a request. Used by one thread; the file stays open. */
final class PartStream extends InputStream {
  private final FileChannel file;
  private final long end;
  private final AtomicLong position;
  private volatile @Nullable IOException failure;

  /**
   * @param position of the next byte, which others may ask for
   * @param end behind the part's last byte
   */
  PartStream(FileChannel file, AtomicLong position, long end) {
    this.file = file;
    this.position = position;
    this.end = end;
  }

  /** The failure of the disk, not of the network, if there was one. */
  @Nullable IOException failure() {
    return failure;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    long at = position.get();
    if (at >= end) {
      return -1;
    }
    int wanted = (int) Math.min(length, end - at);
    int count;
    try {
      count = file.read(ByteBuffer.wrap(bytes, offset, wanted), at);
      if (count < 0) {
        throw new IOException("the file has become shorter");
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    }
    position.addAndGet(count);
    return count;
  }
}
