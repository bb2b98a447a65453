package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.FileRegion;
import java.nio.ByteBuffer;

/** Bytes that are in memory anyway, as a region. Thread-safe. */
public record InlineRegion(ByteBuffer bytes) implements FileRegion {
  @Override
  public long length() {
    return bytes.remaining();
  }

  @Override
  public ByteBuffer slice(long offset, int length) {
    return bytes.slice(bytes.position() + Math.toIntExact(offset), length);
  }

  @Override
  public boolean isResident(long offset, int length) {
    return true;
  }

  @Override
  public void load(long offset, int length) {}

  @Override
  public void close() {}
}
