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
  private boolean isFilled;

  /**
   * Takes over the reader, and reads the first piece, so that a failure is known before anything is
   * sent.
   */
  WarmBody(RangeReader reader, long length, ByteBufferPool pool) throws StorageException {
    this.reader = reader;
    this.remaining = length;
    this.buffer = pool.acquire(ReadBody.BUFFER_LENGTH, true);
    try {
      fill();
    } catch (StorageException | RuntimeException e) {
      close();
      throw e;
    }
  }

  @Override
  public boolean hasNext() {
    return isFilled || remaining > 0;
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
    if (!isFilled) {
      fill();
    }
    isFilled = false;
    return buffer.getByteBuffer();
  }

  @Override
  public void close() {
    reader.close();
    buffer.release();
  }

  private void fill() throws StorageException {
    ByteBuffer bytes = buffer.getByteBuffer().clear();
    remaining -= reader.read(bytes);
    bytes.flip();
    isFilled = true;
  }
}
