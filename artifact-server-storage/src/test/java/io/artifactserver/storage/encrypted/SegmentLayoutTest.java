package io.artifactserver.storage.encrypted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.range.RangeCases;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentLayoutTest {
  private static final int SHORTEST = SegmentLayout.MIN_SEGMENT_LENGTH;

  /** Segment length 100: 28 plain bytes in the first segment, 84 in every other. */
  @ParameterizedTest
  @CsvSource({
    "0, 1, 72",
    "1, 1, 73",
    "27, 1, 99",
    "28, 1, 100",
    "29, 2, 117",
    "111, 2, 199",
    "112, 2, 200",
    "113, 3, 217",
    "196, 3, 300",
    "197, 4, 317"
  })
  void knowsTheCiphertextsLength(long plain, long segments, long ciphertext) {
    SegmentLayout layout = new SegmentLayout(100, plain);
    assertThat(layout.segments()).isEqualTo(segments);
    assertThat(layout.ciphertextLength()).isEqualTo(ciphertext);
    assertThat(SegmentLayout.ofCiphertext(100, ciphertext)).isEqualTo(layout);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 56, 71, 101, 116, 201, 216})
  void refusesLengthsThatNoCiphertextHas(long ciphertext) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SegmentLayout.ofCiphertext(100, ciphertext));
  }

  @ParameterizedTest
  @ValueSource(ints = {SHORTEST, 100, 4096, 65_536})
  void everyPositionIsInItsSegment(int segmentLength) {
    for (long length : RangeCases.lengths(segmentLength)) {
      SegmentLayout layout = new SegmentLayout(segmentLength, length);
      long position = 0;
      for (long segment = 0; segment < layout.segments(); segment++) {
        assertThat(layout.plainStart(segment)).isEqualTo(position);
        assertThat(layout.isLast(segment)).isEqualTo(segment == layout.segments() - 1);
        int plain = layout.plainLength(segment);
        if (plain > 0) {
          assertThat(layout.segmentOf(position)).isEqualTo(segment);
          assertThat(layout.segmentOf(position + plain - 1)).isEqualTo(segment);
        } else {
          assertThat(length).isZero();
        }
        long end = layout.ciphertextStart(segment) + plain + SegmentLayout.TAG_LENGTH;
        assertThat(end)
            .isEqualTo(
                layout.isLast(segment)
                    ? layout.ciphertextLength()
                    : layout.ciphertextStart(segment + 1));
        position += plain;
      }
      assertThat(position).isEqualTo(length);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {SHORTEST, 100, 4096})
  void aRangeIsCoveredByWholeSegmentsAndNoMore(int segmentLength) {
    for (long length : RangeCases.lengths(segmentLength)) {
      SegmentLayout layout = new SegmentLayout(segmentLength, length);
      for (ByteRange range : RangeCases.of(length, segmentLength)) {
        ByteRange covering = layout.ciphertextRange(range);
        covering.requireWithin(layout.ciphertextLength());
        if (range.length() == 0) {
          assertThat(covering.length()).isEqualTo(length == 0 ? SegmentLayout.TAG_LENGTH : 0);
        } else {
          long first = layout.segmentOf(range.position());
          long last = layout.segmentOf(range.end() - 1);
          assertThat(covering.position()).isEqualTo(layout.ciphertextStart(first));
          assertThat(covering.length())
              .isLessThanOrEqualTo((last - first + 1) * segmentLength)
              .isGreaterThan(range.length());
        }
      }
    }
  }

  @Test
  void reachesBeyondTwoGibibytes() {
    SegmentLayout layout = new SegmentLayout(65_536, 1L << 40);
    ByteRange covering = layout.ciphertextRange(new ByteRange((1L << 40) - 1, 1));
    assertThat(covering.end()).isEqualTo(layout.ciphertextLength());
    assertThat(covering.length()).isLessThanOrEqualTo(65_536);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, SHORTEST - 1, SegmentLayout.MAX_SEGMENT_LENGTH + 1})
  void refusesSegmentsOfOtherLengths(int segmentLength) {
    assertThatIllegalArgumentException().isThrownBy(() -> new SegmentLayout(segmentLength, 1));
  }
}
