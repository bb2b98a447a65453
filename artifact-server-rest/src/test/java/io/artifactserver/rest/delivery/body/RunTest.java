package io.artifactserver.rest.delivery.body;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;

class RunTest {
  private static final int SEGMENT = 64 * 1024;

  @Test
  void neighboursAreOneRun() {
    assertThat(runs(1, 0, 10, 10, 20, 30, 5)).containsExactly(new Run(new ByteRange(0, 35), 3));
  }

  @Test
  void farRangesAreRunsOfTheirOwn() {
    assertThat(runs(1, 0, 10, 1000, 10))
        .containsExactly(new Run(new ByteRange(0, 10), 1), new Run(new ByteRange(1000, 10), 1));
  }

  @Test
  void smallGapsAreReadThrough() {
    assertThat(runs(1, 0, 1000, 1100, 1000)).hasSize(1);
    assertThat(runs(1, 0, 100, 200, 100)).hasSize(2);
  }

  /** They are decrypted in any case. */
  @Test
  void rangesOfOneSegmentAreOneRun() {
    assertThat(runs(SEGMENT, 0, 1, 60_000, 1, 65_536, 1, 131_071, 1)).hasSize(1);
  }

  @Test
  void rangesThatGoBackAreRunsOfTheirOwn() {
    assertThat(runs(SEGMENT, 100, 10, 0, 10)).hasSize(2);
    assertThat(runs(SEGMENT, 0, 10, 5, 10)).hasSize(2);
  }

  /** A request like zchunk's: chunks that changed, most of them beside others. */
  @Test
  void anUpdateIsAFewReads() {
    List<ByteRange> ranges =
        IntStream.range(0, 200)
            .mapToObj(i -> new ByteRange(i * 30_000L + i / 50 * 40_000_000L, 30_000))
            .toList();
    assertThat(Run.of(ranges, SEGMENT)).hasSize(4);
  }

  @RepeatedTest(100)
  void readsAFifthMoreAtMostAndEveryRange(RepetitionInfo repetition) {
    Random random = new Random(repetition.getCurrentRepetition());
    int piece = random.nextBoolean() ? 1 : SEGMENT;
    List<ByteRange> ranges = new ArrayList<>();
    long position = 0;
    for (int i = 0; i < 200; i++) {
      position += random.nextInt(3) == 0 ? random.nextInt(500_000) : random.nextInt(2_000);
      int length = 1 + random.nextInt(100_000);
      ranges.add(new ByteRange(position, length));
      position += length;
    }
    long read = 0;
    int next = 0;
    for (Run run : Run.of(ranges, piece)) {
      ByteRange first = ranges.get(next);
      next += run.ranges();
      ByteRange last = ranges.get(next - 1);
      assertThat(run.range())
          .isEqualTo(new ByteRange(first.position(), last.end() - first.position()));
      read += pieces(List.of(run.range()), piece);
    }
    assertThat(next).isEqualTo(ranges.size());
    assertThat((double) read).isLessThanOrEqualTo(1.2 * pieces(ranges, piece));
  }

  /** How many pieces the ranges touch. */
  private static int pieces(List<ByteRange> ranges, int piece) {
    BitSet pieces = new BitSet();
    for (ByteRange range : ranges) {
      pieces.set(
          Math.toIntExact(range.position() / piece),
          Math.toIntExact((range.end() - 1) / piece + 1));
    }
    return pieces.cardinality();
  }

  private static List<Run> runs(int piece, long... positionsAndLengths) {
    List<ByteRange> ranges = new ArrayList<>();
    for (int i = 0; i < positionsAndLengths.length; i += 2) {
      ranges.add(new ByteRange(positionsAndLengths[i], positionsAndLengths[i + 1]));
    }
    return Run.of(ranges, piece);
  }
}
