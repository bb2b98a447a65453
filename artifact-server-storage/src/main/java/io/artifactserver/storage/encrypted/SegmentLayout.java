package io.artifactserver.storage.encrypted;

import io.artifactserver.core.range.ByteRange;

/**
 * Where the plain bytes of a blob are in its ciphertext. Immutable; pure arithmetic.
 *
 * <p>Segment {@code i} of the ciphertext is at {@code i * segmentLength}, so that a position finds
 * its segment without a table. The first one begins with the headers and therefore has less room.
 * Each ends in a tag; the last one may be shorter, and only that of an empty blob is empty.
 *
 * @param segmentLength of the ciphertext, in bytes
 * @param plainLength of the blob, in bytes
 */
record SegmentLayout(int segmentLength, long plainLength) {
  /** Length of the tag at each segment's end, in bytes. */
  static final int TAG_LENGTH = 16;

  /** Shortest segment: the headers, the first tag and one byte. */
  static final int MIN_SEGMENT_LENGTH = SegmentHeader.LENGTH + TAG_LENGTH + 1;

  /** Longest segment: memory per reader is a multiple of it. */
  static final int MAX_SEGMENT_LENGTH = 16 * 1024 * 1024;

  SegmentLayout {
    if (segmentLength < MIN_SEGMENT_LENGTH || segmentLength > MAX_SEGMENT_LENGTH) {
      throw new IllegalArgumentException(
          "A segment has %d to %d bytes, not %d"
              .formatted(MIN_SEGMENT_LENGTH, MAX_SEGMENT_LENGTH, segmentLength));
    }
    if (plainLength < 0) {
      throw new IllegalArgumentException("A blob of length " + plainLength);
    }
  }

  /**
   * The layout of a ciphertext.
   *
   * @param ciphertextLength of the file, headers included, in bytes
   * @throws IllegalArgumentException if no blob has a ciphertext of this length
   */
  static SegmentLayout ofCiphertext(int segmentLength, long ciphertextLength) {
    long segments = Math.max(1, Math.ceilDiv(ciphertextLength, segmentLength));
    SegmentLayout layout =
        new SegmentLayout(
            segmentLength, ciphertextLength - SegmentHeader.LENGTH - segments * TAG_LENGTH);
    if (layout.ciphertextLength() != ciphertextLength) {
      throw new IllegalArgumentException("A ciphertext of length " + ciphertextLength);
    }
    return layout;
  }

  /** Most plain bytes in the first segment. */
  static int firstPlainCapacity(int segmentLength) {
    return segmentLength - SegmentHeader.LENGTH - TAG_LENGTH;
  }

  /** Most plain bytes in any other segment. */
  static int plainCapacity(int segmentLength) {
    return segmentLength - TAG_LENGTH;
  }

  /** How many segments there are; at least one. */
  long segments() {
    long behindFirst = plainLength - firstPlainCapacity(segmentLength);
    return behindFirst <= 0 ? 1 : 1 + Math.ceilDiv(behindFirst, plainCapacity(segmentLength));
  }

  /** Length of the file, headers included, in bytes. */
  long ciphertextLength() {
    return SegmentHeader.LENGTH + plainLength + segments() * TAG_LENGTH;
  }

  /**
   * The segment that has a plain byte.
   *
   * @param position before the end
   */
  long segmentOf(long position) {
    long behindFirst = position - firstPlainCapacity(segmentLength);
    return behindFirst < 0 ? 0 : 1 + behindFirst / plainCapacity(segmentLength);
  }

  /** Position of a segment's first plain byte. */
  long plainStart(long segment) {
    return segment == 0
        ? 0
        : firstPlainCapacity(segmentLength) + (segment - 1) * plainCapacity(segmentLength);
  }

  /** Plain bytes of a segment. */
  int plainLength(long segment) {
    long start = plainStart(segment);
    int capacity = segment == 0 ? firstPlainCapacity(segmentLength) : plainCapacity(segmentLength);
    return (int) Math.min(capacity, plainLength - start);
  }

  /** Position of a segment's first ciphertext byte in the file, behind any header. */
  long ciphertextStart(long segment) {
    return segment == 0 ? SegmentHeader.LENGTH : segment * segmentLength;
  }

  /** Whether a segment is the last one. */
  boolean isLast(long segment) {
    return segment == segments() - 1;
  }

  /**
   * The bytes of the file that are needed to read a range: whole segments, without headers. That of
   * an empty range is empty; that of an empty blob is its one segment.
   *
   * @param range within the blob
   */
  ByteRange ciphertextRange(ByteRange range) {
    if (range.length() == 0 && plainLength > 0) {
      return new ByteRange(0, 0);
    }
    long first = segmentOf(range.position());
    long last = range.length() == 0 ? first : segmentOf(range.end() - 1);
    long start = ciphertextStart(first);
    return new ByteRange(start, ciphertextStart(last) + plainLength(last) + TAG_LENGTH - start);
  }
}
