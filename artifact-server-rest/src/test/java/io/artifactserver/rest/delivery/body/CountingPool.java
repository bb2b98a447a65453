package io.artifactserver.rest.delivery.body;

import java.nio.ByteBuffer;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/** Counts what is acquired and released. A buffer that is released twice throws. */
final class CountingPool implements ByteBufferPool {
  private int acquired;
  private int released;

  @Override
  public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
    acquired++;
    return RetainableByteBuffer.wrap(ByteBuffer.allocate(size), () -> released++);
  }

  @Override
  public void clear() {}

  int acquired() {
    return acquired;
  }

  int released() {
    return released;
  }
}
