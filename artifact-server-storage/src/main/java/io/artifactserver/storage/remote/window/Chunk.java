package io.artifactserver.storage.remote.window;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** A part of a range. Guarded by the reader's lock, but for what is being copied. */
final class Chunk {
  final ByteRange range;
  @Nullable Thread fetcher;

  /** The first bytes of its fetch, if it was asked for before. */
  @Nullable RangeReader answer;

  @Nullable ByteBuffer buffer;
  boolean hasRoom;
  boolean hasEnded;
  volatile boolean hasArrived;

  /** Bytes that have come. */
  volatile int filled;

  /** Bytes that the reader has: its own. */
  int taken;

  boolean isPutOff;

  Chunk(ByteRange range) {
    this.range = range;
  }

  /**
   * Bytes that the reader can have. The last one of the chunk only comes when the fetch is over: a
   * reader that has all of it knows that nobody writes into it any more.
   */
  int available() {
    return (hasArrived ? (int) range.length() : Math.min(filled, (int) range.length() - 1)) - taken;
  }

  int missing() {
    return (int) range.length() - taken;
  }

  boolean isFull() {
    return buffer != null && !buffer.hasRemaining();
  }

  ByteBuffer bytes() {
    if (buffer == null) {
      throw new IllegalStateException("The chunk at %s has no bytes".formatted(range));
    }
    return buffer;
  }
}
