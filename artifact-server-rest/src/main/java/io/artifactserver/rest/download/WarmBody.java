package io.artifactserver.rest.download;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/** A plain range whose reader does not block, through one pooled buffer. */
final class WarmBody implements BodySource {
  private final RangeReader reader;
  private final RetainableByteBuffer.Mutable buffer;
  private long remaining;

  /** Takes over the reader. */
  WarmBody(RangeReader reader, long length, ByteBufferPool pool) {
    this.reader = reader;
    this.remaining = length;
    this.buffer = pool.acquire(ReadBody.BUFFER_LENGTH, true);
  }

  @Override
  public boolean hasNext() {
    return remaining > 0;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void prepare() {
    // Always ready.
  }

  @Override
  public ByteBuffer next() throws StorageException {
    ByteBuffer bytes = buffer.getByteBuffer().clear();
    remaining -= reader.read(bytes);
    return bytes.flip();
  }

  @Override
  public void close() {
    reader.close();
    buffer.release();
  }
}
