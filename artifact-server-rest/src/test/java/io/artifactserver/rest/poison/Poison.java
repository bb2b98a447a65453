package io.artifactserver.rest.poison;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.Retainable;
import org.eclipse.jetty.io.RetainableByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Gives each buffer that leaves a pool an owner of its own. With the last release the owner fills
 * the buffer with {@link #PATTERN}; the next owner checks that nobody has written to it. An owner
 * that is released once too often is reported, and leaves the next owner's count alone.
 * Thread-safe.
 */
public final class Poison {
  /** The byte that a released buffer is full of. */
  static final byte PATTERN = (byte) 0xDB;

  private static final ByteBuffer FULL = full(64 * 1024);

  /** The last release of each buffer that is back in a pool. */
  private static final Map<Identity, Throwable> RELEASED = new ConcurrentHashMap<>();

  private static final ReferenceQueue<ByteBuffer> COLLECTED = new ReferenceQueue<>();

  private Poison() {}

  /** Called by Jetty's changed pool with each buffer that it is about to return. */
  public static RetainableByteBuffer.Mutable handOut(
      RetainableByteBuffer.Mutable pooled, ByteBufferPool pool) {
    ByteBuffer bytes = pooled.getByteBuffer();
    Throwable release = RELEASED.remove(new Identity(bytes, null));
    if (release != null) {
      check(bytes, release);
    }
    return new Owned(pool, bytes, new Owner(pooled, bytes));
  }

  private static void check(ByteBuffer buffer, Throwable release) {
    ByteBuffer bytes = buffer.duplicate().clear();
    for (int start = 0; start < bytes.capacity(); start += FULL.capacity()) {
      int length = Math.min(FULL.capacity(), bytes.capacity() - start);
      int difference = bytes.slice(start, length).mismatch(FULL.slice(0, length));
      if (difference >= 0) {
        Faults.buffer(
            "byte %d of %d was written after the release: 0x%02x"
                .formatted(start + difference, bytes.capacity(), bytes.get(start + difference)),
            release);
        return;
      }
    }
  }

  private static void fill(ByteBuffer buffer) {
    ByteBuffer bytes = buffer.duplicate().clear();
    while (bytes.hasRemaining()) {
      bytes.put(FULL.slice(0, Math.min(FULL.capacity(), bytes.remaining())));
    }
  }

  private static void released(ByteBuffer bytes, Throwable stack) {
    fill(bytes);
    for (Object key = COLLECTED.poll(); key != null; key = COLLECTED.poll()) {
      RELEASED.remove(key);
    }
    RELEASED.put(new Identity(bytes, COLLECTED), stack);
  }

  private static ByteBuffer full(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, PATTERN);
    return ByteBuffer.allocateDirect(length).put(bytes).clear();
  }

  private static final class Owned extends RetainableByteBuffer.Pooled {
    Owned(ByteBufferPool pool, ByteBuffer bytes, Owner owner) {
      super(pool, bytes, owner);
    }
  }

  private static final class Owner extends Retainable.ReferenceCounter {
    private final RetainableByteBuffer pooled;
    private final ByteBuffer bytes;
    private volatile @Nullable Throwable lastRelease;

    Owner(RetainableByteBuffer pooled, ByteBuffer bytes) {
      this.pooled = pooled;
      this.bytes = bytes;
    }

    @Override
    public void retain() {
      try {
        super.retain();
      } catch (IllegalStateException e) {
        throw reported("a buffer was retained after its last release", e);
      }
    }

    @Override
    public boolean release() {
      boolean isLast;
      try {
        isLast = super.release();
      } catch (IllegalStateException e) {
        throw reported("a buffer was released once too often", e);
      }
      if (isLast) {
        Throwable stack = new Throwable("The last release, by " + Thread.currentThread().getName());
        lastRelease = stack;
        released(bytes, stack);
        pooled.release();
      }
      return isLast;
    }

    private IllegalStateException reported(String what, IllegalStateException e) {
      Throwable release = lastRelease;
      if (release != null) {
        e.initCause(release);
      }
      Faults.buffer(what, e);
      return e;
    }
  }

  /** A buffer's equality is that of its bytes. This is equal for the same buffer only. */
  private static final class Identity extends WeakReference<ByteBuffer> {
    private final int hash;

    Identity(ByteBuffer bytes, @Nullable ReferenceQueue<ByteBuffer> queue) {
      super(bytes, queue);
      hash = System.identityHashCode(bytes);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other
          || (other instanceof Identity identity && get() != null && refersTo(identity.get()));
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
