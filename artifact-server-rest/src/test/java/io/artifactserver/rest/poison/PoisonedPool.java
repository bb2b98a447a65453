package io.artifactserver.rest.poison;

import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/** Jetty's pool for tests that start a Jetty of their own: {@code new Server(null, null, pool)}. */
public final class PoisonedPool extends ArrayByteBufferPool {
  @Override
  public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
    return Poison.handOut(super.acquire(size, direct), this);
  }
}
