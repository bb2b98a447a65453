package io.artifactserver.storage.encrypted;

import java.nio.ByteBuffer;
import java.security.SecureRandom;

/**
 * The unwrapped key of one blob, and the segment length that it was written with: so that both are
 * authenticated together. Used by one thread; erased when closed.
 */
final class DataKey implements AutoCloseable {
  /** In bytes. */
  static final int LENGTH = 32;

  private static final byte VERSION = 1;
  private static final int PAYLOAD_LENGTH = 1 + Integer.BYTES + LENGTH;

  private final byte[] bytes;
  private final int segmentLength;

  private DataKey(byte[] bytes, int segmentLength) {
    this.bytes = bytes;
    this.segmentLength = segmentLength;
  }

  static DataKey random(int segmentLength, SecureRandom random) {
    byte[] bytes = new byte[LENGTH];
    random.nextBytes(bytes);
    return new DataKey(bytes, segmentLength);
  }

  /**
   * Reads what {@link #toPayload} made, and erases it.
   *
   * @throws IllegalArgumentException if it is of another version
   */
  static DataKey ofPayload(byte[] payload) {
    ByteBuffer buffer = ByteBuffer.wrap(payload);
    if (payload.length != PAYLOAD_LENGTH || buffer.get() != VERSION) {
      throw new IllegalArgumentException("its data key is of an unknown version");
    }
    int segmentLength = buffer.getInt();
    byte[] bytes = new byte[LENGTH];
    buffer.get(bytes);
    SegmentKey.erase(payload);
    return new DataKey(bytes, segmentLength);
  }

  /** The plain key to be wrapped; the caller erases it. */
  byte[] toPayload() {
    return ByteBuffer.allocate(PAYLOAD_LENGTH)
        .put(VERSION)
        .putInt(segmentLength)
        .put(bytes)
        .array();
  }

  int segmentLength() {
    return segmentLength;
  }

  /** The key itself, not a copy. */
  byte[] bytes() {
    return bytes;
  }

  @Override
  public void close() {
    SegmentKey.erase(bytes);
  }
}
