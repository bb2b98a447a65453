package io.artifactserver.core.range;

import java.util.Objects;

/**
 * A contiguous run of bytes: {@code length} bytes from {@code position}, half-open. Inclusive ends
 * exist only on the wire (RFC 9110, section 14.1.2) and never in this type. Immutable.
 *
 * @param position of the first byte, in bytes from the start; not negative
 * @param length in bytes; not negative; {@code position + length} does not overflow
 */
public record ByteRange(long position, long length) {
  public ByteRange {
    if (position < 0 || length < 0 || position > Long.MAX_VALUE - length) {
      throw new IndexOutOfBoundsException(
          "Byte range with position %d and length %d".formatted(position, length));
    }
  }

  /** The range that covers all of a blob of {@code length} bytes. */
  public static ByteRange whole(long length) {
    return new ByteRange(0, length);
  }

  /** The position behind the last byte, in bytes. */
  public long end() {
    return position + length;
  }

  /** Whether there is no byte in this range. */
  public boolean isEmpty() {
    return length == 0;
  }

  /**
   * Returns this range after checking that it lies within a blob.
   *
   * @param blobLength in bytes
   * @throws IndexOutOfBoundsException if a byte of this range is outside {@code [0, blobLength)}
   */
  public ByteRange requireWithin(long blobLength) {
    Objects.checkFromIndexSize(position, length, blobLength);
    return this;
  }
}
