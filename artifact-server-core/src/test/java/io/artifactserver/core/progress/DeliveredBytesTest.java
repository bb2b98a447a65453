package io.artifactserver.core.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeliveredBytesTest {
  /** Each part counts the bytes that one by one would be in it. */
  @RepeatedTest(20)
  void sharesAreThoseOfTheBytes(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    int length = 1 + random.nextInt(500);
    DeliveredBytes delivered = DeliveredBytes.NONE;
    BitSet bytes = new BitSet(length);
    for (int i = random.nextInt(6); i > 0; i--) {
      int position = random.nextInt(length);
      int end = position + 1 + random.nextInt(length - position);
      delivered = delivered.plus(new ByteRange(position, end - position));
      bytes.set(position, end);
    }
    double[] shares = new double[1 + random.nextInt(60)];
    delivered.addShares(shares, length, 1);
    double size = (double) length / shares.length;
    for (int part = 0; part < shares.length; part++) {
      double expected = 0;
      for (int at = bytes.nextSetBit(0); at >= 0; at = bytes.nextSetBit(at + 1)) {
        expected +=
            Math.max(0, Math.min(at + 1.0, (part + 1) * size) - Math.max(at, part * size)) / size;
      }
      assertThat(shares[part]).isCloseTo(expected, within(1e-9));
    }
  }

  @Test
  void sharesOfTheLargestArtifactAreWithinBounds() {
    double[] shares = new double[200];
    DeliveredBytes.of(new ByteRange(0, Long.MAX_VALUE)).addShares(shares, Long.MAX_VALUE, 1);
    for (double share : shares) {
      assertThat(share).isCloseTo(1, within(1e-9));
    }
  }

  /** As RAUC streams: ranges of 4 to 128 KiB over six connections, so not quite in order. */
  @Test
  void aThousandRangesThatStreamAreOneRunAtTheEnd() {
    Random random = new Random(24);
    List<ByteRange> ranges = new ArrayList<>();
    long position = 0;
    for (int i = 0; i < 1063; i++) {
      long length = 4096L + random.nextInt(124 * 1024);
      ranges.add(new ByteRange(position, length));
      position += length;
    }
    for (int i = 0; i + 6 <= ranges.size(); i += 6) {
      Collections.shuffle(ranges.subList(i, i + 6), random);
    }
    DeliveredBytes delivered = DeliveredBytes.NONE;
    long before = 0;
    for (ByteRange range : ranges) {
      assertThat(delivered.count()).isEqualTo(before);
      delivered = delivered.plus(range);
      before += range.length();
      assertThat(delivered.runs()).isLessThanOrEqualTo(6);
    }
    assertThat(delivered).isEqualTo(DeliveredBytes.of(ByteRange.whole(position)));
    assertThat(delivered.encoded()).hasSizeLessThan(10);
  }

  @RepeatedTest(50)
  void countsEachByteOnce(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    BitSet bytes = new BitSet();
    DeliveredBytes one = DeliveredBytes.NONE;
    DeliveredBytes other = DeliveredBytes.NONE;
    for (int i = 0; i < 200; i++) {
      ByteRange range = new ByteRange(random.nextInt(2000), random.nextInt(20));
      bytes.set((int) range.position(), (int) range.end());
      if (random.nextBoolean()) {
        one = one.plus(range);
      } else {
        other = other.plus(range);
      }
    }
    DeliveredBytes both = one.plus(other);
    assertThat(both).isEqualTo(other.plus(one)).hasSameHashCodeAs(other.plus(one));
    assertThat(both.count()).isEqualTo(bytes.cardinality());
    assertThat(both.plus(both)).isEqualTo(both);
    assertThat(DeliveredBytes.decode(both.encoded())).isEqualTo(both);
  }

  @Test
  void keepsTheLongestOfTooManyRunsAndNeverMoreThanWasSent() {
    DeliveredBytes delivered = DeliveredBytes.NONE;
    long sent = 0;
    for (int i = 0; i < 3 * DeliveredBytes.MAX_RUNS; i++) {
      int length = 1 + i % 7;
      delivered = delivered.plus(new ByteRange(10L * i, length));
      sent += length;
      assertThat(delivered.runs()).isLessThanOrEqualTo(DeliveredBytes.MAX_RUNS);
    }
    assertThat(delivered.count()).isLessThan(sent).isGreaterThan(sent / 3);
    long end = 10L * 3 * DeliveredBytes.MAX_RUNS;
    assertThat(delivered.plus(ByteRange.whole(end)).count()).isEqualTo(end);
  }

  @Test
  void takesTheLargestPositions() {
    DeliveredBytes delivered = DeliveredBytes.of(new ByteRange(Long.MAX_VALUE - 1, 1));
    assertThat(DeliveredBytes.decode(delivered.encoded())).isEqualTo(delivered);
    assertThat(DeliveredBytes.decode(new byte[0])).isEqualTo(DeliveredBytes.NONE);
    assertThat(DeliveredBytes.of(new ByteRange(5, 0))).isEqualTo(DeliveredBytes.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"80", "05", "0580", "0500", "05010002", "ffffffffffffffffff7f", "050105"})
  void refusesWhatItDidNotWrite(String hex) {
    byte[] bytes = java.util.HexFormat.of().parseHex(hex);
    assertThatIllegalArgumentException().isThrownBy(() -> DeliveredBytes.decode(bytes));
  }
}
