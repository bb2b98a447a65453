package io.artifactserver.storage.remote.window;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Keeps a few heap buffers of one length for the next one who needs one. Thread-safe. On the heap,
 * because that is where streams and TLS put what they read.
 */
final class BufferPool {
  private final int bufferLength;
  private final ArrayBlockingQueue<ByteBuffer> idle;

  /**
   * @param bufferLength in bytes
   * @param maxIdle most buffers kept while nobody uses them
   */
  BufferPool(int bufferLength, int maxIdle) {
    this.bufferLength = bufferLength;
    this.idle = new ArrayBlockingQueue<>(maxIdle);
  }

  /**
   * Returns how many bytes a buffer of this length occupies: a piece that is much shorter than the
   * pool's buffers, or longer, gets one of its own.
   */
  int footprint(int length) {
    return isPooled(length) ? bufferLength : length;
  }

  /** A buffer with {@code length} bytes remaining; given back by {@link #release}. */
  ByteBuffer acquire(int length) {
    ByteBuffer pooled = isPooled(length) ? idle.poll() : null;
    ByteBuffer buffer = pooled == null ? ByteBuffer.allocate(footprint(length)) : pooled;
    return buffer.clear().limit(length);
  }

  /** The caller, and everybody whom it gave the buffer to, keeps no reference to it. */
  void release(ByteBuffer buffer) {
    if (buffer.capacity() == bufferLength) {
      // Dropped if there are enough.
      var _ = idle.offer(buffer);
    }
  }

  private boolean isPooled(int length) {
    return length <= bufferLength && length > bufferLength / 2;
  }
}
