package io.artifactserver.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FiguresTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0 | 0",
        "0.0341 | 0.0341",
        "0.034 | 0.034",
        "0.0345678 | 0.0346",
        "5.4321 | 5.43",
        "100 | 100",
        "999.6 | 1000",
        "12849.2 | 12,849",
        "-2.5 | -2.5",
        "NaN | ?"
      })
  void hasThreeDigits(double value, String text) {
    assertThat(Figures.format(value)).isEqualTo(text);
  }
}
