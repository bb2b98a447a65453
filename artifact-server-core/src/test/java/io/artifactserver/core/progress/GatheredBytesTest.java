package io.artifactserver.core.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.range.ByteRange;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GatheredBytesTest {
  /** The result does not depend on the order of gathering and merging. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 8, 9, 100, 5000})
  void areTheSumOfTheirRanges(int ranges) {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      GatheredBytes gathered = new GatheredBytes();
      DeliveredBytes expected = DeliveredBytes.NONE;
      long next = 0;
      for (int i = 0; i < ranges; i++) {
        long position = random.nextInt(3) == 0 ? next : random.nextInt(40_000);
        ByteRange range = new ByteRange(position, 1 + random.nextInt(50));
        next = range.end();
        gathered.add(range);
        expected = expected.plus(range);
        if (random.nextInt(50) == 0) {
          assertThat(gathered.bytes()).isEqualTo(expected);
        }
      }
      assertThat(gathered.bytes()).isEqualTo(expected);
      assertThat(gathered.runs()).isEqualTo(expected.runs());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 10, 99})
  void theShortestAreForgotten(int maxRuns) {
    GatheredBytes gathered = new GatheredBytes();
    for (int i = 99; i >= 0; i--) {
      gathered.add(new ByteRange(1000L * i, 1 + i));
    }
    assertThat(gathered.shrink(maxRuns)).isEqualTo(100 - maxRuns);
    assertThat(gathered.runs()).isEqualTo(maxRuns);
    assertThat(gathered.bytes().count()).isEqualTo(5050 - (100L - maxRuns) * (101 - maxRuns) / 2);
    assertThat(gathered.shrink(maxRuns)).isZero();
  }
}
