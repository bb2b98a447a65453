package io.artifactserver.core.release;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeWindowTest {
  /** The 1st of March 2026 is a Sunday, and clocks in Berlin go forward on the 29th. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          08:00-18:00                      | 2026-03-01T07:59:59Z | false
          08:00-18:00                      | 2026-03-01T08:00:00Z | true
          08:00-18:00                      | 2026-03-01T17:59:59Z | true
          08:00-18:00                      | 2026-03-01T18:00:00Z | false
          22:00-04:00                      | 2026-03-01T21:59:59Z | false
          22:00-04:00                      | 2026-03-01T22:00:00Z | true
          22:00-04:00                      | 2026-03-02T03:59:59Z | true
          22:00-04:00                      | 2026-03-02T04:00:00Z | false
          Sun 22:00-04:00                  | 2026-03-01T03:00:00Z | false
          Sun 22:00-04:00                  | 2026-03-01T23:00:00Z | true
          Sun 22:00-04:00                  | 2026-03-02T03:00:00Z | true
          Sun 22:00-04:00                  | 2026-03-02T23:00:00Z | false
          Mon-Fri 00:00-00:00              | 2026-03-01T23:59:59Z | false
          Mon-Fri 00:00-00:00              | 2026-03-02T00:00:00Z | true
          Mon-Fri 00:00-00:00              | 2026-03-06T23:59:59Z | true
          Mon-Fri 00:00-00:00              | 2026-03-07T00:00:00Z | false
          fri-mon,wed 12:00-13:00          | 2026-03-01T12:30:00Z | true
          fri-mon,wed 12:00-13:00          | 2026-03-03T12:30:00Z | false
          fri-mon,wed 12:00-13:00          | 2026-03-04T12:30:00Z | true
          03:00-04:00 Europe/Berlin        | 2026-03-28T02:30:00Z | true
          03:00-04:00 Europe/Berlin        | 2026-03-29T02:30:00Z | false
          03:00-04:00 Europe/Berlin        | 2026-03-29T01:30:00Z | true
          03:00-04:00 +05:30               | 2026-03-01T22:00:00Z | true
          """)
  void isOpenAtItsTimes(String text, Instant instant, boolean isOpen) {
    TimeWindow window = TimeWindow.parse(text);
    assertThat(window.includes(instant)).isEqualTo(isOpen);
    assertThat(TimeWindow.parse(window.toString())).isEqualTo(window);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "22:00",
        "22-04",
        "24:00-04:00",
        "22:60-04:00",
        "Mon 22:00-04:00 Europe/Atlantis",
        "Mo 22:00-04:00",
        "Mon, 22:00-04:00",
        "Mon-Tue-Wed 22:00-04:00",
        "22:00-04:00\u0000",
        "22:00-04:00 UTC UTC",
      })
  void whatIsNoWindowIsRefused(String text) {
    assertThatThrownBy(() -> TimeWindow.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("A window is like");
  }
}
