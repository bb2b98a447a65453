package io.artifactserver.core.blob;

import java.nio.ByteBuffer;

/** Delivers bytes that are in memory, for tests. */
final class BytesReader implements RangeReader {
  private final ByteBuffer source;
  private boolean open = true;

  BytesReader(ByteBuffer source) {
    this.source = source;
  }

  @Override
  public int read(ByteBuffer target) {
    if (!open) {
      throw new IllegalStateException("The reader is closed");
    }
    if (!source.hasRemaining()) {
      return -1;
    }
    int length = Math.min(source.remaining(), target.remaining());
    target.put(source.slice(source.position(), length));
    source.position(source.position() + length);
    return length;
  }

  boolean isRead() {
    return !source.hasRemaining();
  }

  @Override
  public Wait waitToRead(int length) {
    return Wait.NONE;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    open = false;
  }
}
