package io.artifactserver.core.range;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteRangeTest {
  @ParameterizedTest
  @CsvSource({
    "-1, 1",
    "0, -1",
    "9223372036854775807, 1",
    "1, 9223372036854775807",
    "-9223372036854775808, 0"
  })
  void refusesWhatIsNoRange(long position, long length) {
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> new ByteRange(position, length))
        .withMessageContaining(Long.toString(position))
        .withMessageContaining(Long.toString(length));
  }

  @Test
  void reachesToTheLastLong() {
    ByteRange range = new ByteRange(1, Long.MAX_VALUE - 1);
    assertThat(range.end()).isEqualTo(Long.MAX_VALUE);
    assertThat(range.requireWithin(Long.MAX_VALUE)).isSameAs(range);
  }

  @Test
  void isEmptyWithoutBytes() {
    assertThat(new ByteRange(5, 0).isEmpty()).isTrue();
    assertThat(new ByteRange(5, 1).isEmpty()).isFalse();
    assertThat(ByteRange.whole(0).isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 4095, 4096, 1 << 20, (1L << 31) + 1})
  void everyCaseIsWithinOrOutsideAsItSays(long length) {
    assertThat(RangeCases.of(length))
        .isNotEmpty()
        .contains(ByteRange.whole(length))
        .allSatisfy(range -> assertThat(range.requireWithin(length)).isEqualTo(range));
    assertThat(RangeCases.outside(length).stream().filter(range -> range.end() > length))
        .allSatisfy(range ->
            assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> range.requireWithin(length)));
  }
}
