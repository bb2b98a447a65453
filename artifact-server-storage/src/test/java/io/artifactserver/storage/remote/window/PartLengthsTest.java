package io.artifactserver.storage.remote.window;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PartLengthsTest {
  private static final int MEBIBYTE = 1 << 20;

  @Test
  void growsWithTheNumber() {
    PartLengths lengths = new PartLengths(5 * MEBIBYTE);
    assertThat(lengths.applyAsInt(1)).isEqualTo(5 * MEBIBYTE);
    assertThat(lengths.applyAsInt(800)).isEqualTo(5 * MEBIBYTE);
    assertThat(lengths.applyAsInt(801)).isEqualTo(10 * MEBIBYTE);
    assertThat(lengths.applyAsInt(10_000)).isEqualTo(1280 * MEBIBYTE);
    assertThat(lengths.applyAsInt(Integer.MAX_VALUE)).isEqualTo(1280 * MEBIBYTE);
  }

  @ParameterizedTest
  @ValueSource(ints = {5, 7, 8, 16, 100, 1280})
  void theLargestObjectFits(int mebibytes) {
    PartLengths lengths = new PartLengths(mebibytes * MEBIBYTE);
    long total = 0;
    int before = 0;
    for (int number = 1; number <= PartLengths.MAX_PARTS; number++) {
      int length = lengths.applyAsInt(number);
      assertThat(length).isGreaterThanOrEqualTo(before).isLessThanOrEqualTo(PartLengths.MAX_LENGTH);
      before = length;
      total += length;
    }
    assertThat(total).isGreaterThanOrEqualTo(5L << 40);
  }

  @Test
  void refusesWhatS3Refuses() {
    assertThatIllegalArgumentException().isThrownBy(() -> new PartLengths((5 * MEBIBYTE) - 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new PartLengths((1280 * MEBIBYTE) + 1));
  }
}
