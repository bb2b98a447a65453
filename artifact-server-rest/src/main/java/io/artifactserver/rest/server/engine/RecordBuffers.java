package io.artifactserver.rest.server.engine;

import java.util.concurrent.Semaphore;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.RetainableByteBuffer;

/**
 * Buffers for several TLS records in the place of Jetty's, which have room for one. How many there
 * are at a time is bounded, because a client that does not read keeps the one that it has not taken
 * yet: who comes too late gets one of the usual length. Thread-safe.
 */
final class RecordBuffers extends ByteBufferPool.Wrapper {
  /**
   * In bytes: three full records and the room that one may need. The longest that Jetty's pool
   * keeps; 88 KiB were as fast, 176 slower.
   */
  static final int LENGTH = 64 * 1024;

  /**
   * The length of the buffer that the JDK's engine asks for to write a record, or to read one, in
   * bytes. To decrypt a record it asks for five bytes less, those of the head.
   */
  private static final int PACKET_LENGTH = 16_709;

  /**
   * Most that is kept on the heap for the next client, in bytes. Jetty's default is an eighth of
   * the heap: a thousand clients that stopped in the middle of a handshake left 22 MB there.
   */
  private static final long MAX_KEPT = 8 * 1024 * 1024;

  private final ByteBufferPool heap =
      new ArrayByteBufferPool(0, LENGTH / 16, LENGTH, Integer.MAX_VALUE, MAX_KEPT, 0);

  private final Semaphore places;

  /**
   * @param places large buffers at a time
   */
  RecordBuffers(ByteBufferPool pool, int places) {
    super(pool);
    this.places = new Semaphore(places);
  }

  @Override
  public RetainableByteBuffer.Mutable acquire(int size, boolean direct) {
    if (size < PACKET_LENGTH || size >= LENGTH || !places.tryAcquire()) {
      return pooled(size, direct);
    }
    return new Large(pooled(LENGTH, direct), places);
  }

  private RetainableByteBuffer.Mutable pooled(int size, boolean direct) {
    return direct ? super.acquire(size, true) : heap.acquire(size, false);
  }

  private static final class Large extends RetainableByteBuffer.Wrapper {
    private final Semaphore places;

    Large(RetainableByteBuffer buffer, Semaphore places) {
      super(buffer);
      this.places = places;
    }

    @Override
    public boolean release() {
      boolean isLast = super.release();
      if (isLast) {
        places.release();
      }
      return isLast;
    }
  }
}
