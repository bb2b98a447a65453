package io.artifactserver.rest.access.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExpiryTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "90s, 2030-01-01T00:01:30Z",
    "15m, 2030-01-01T00:15:00Z",
    "12h, 2030-01-01T12:00:00Z",
    "7d, 2030-01-08T00:00:00Z",
    "PT1H, 2030-01-01T01:00:00Z",
    "1893456000, 2030-01-01T00:00:00Z",
    "2030-01-31T12:00:00Z, 2030-01-31T12:00:00Z"
  })
  void readsEachForm(String text, Instant expected) {
    assertThat(Expiry.end(text, NOW)).isEqualTo(expected);
    assertThat(Expiry.begin(text, NOW)).isEqualTo(expected);
  }

  /** An hour is an hour, from the middle of a second as well. */
  @Test
  void nothingEndsEarlyOrBeginsLate() {
    Instant now = NOW.plusMillis(1);
    assertThat(Expiry.end("90s", now)).isEqualTo(NOW.plusSeconds(91));
    assertThat(Expiry.begin("90s", now)).isEqualTo(NOW.plusSeconds(90));
  }

  /** A token that is rotated without an overlap is not good for the rest of the second. */
  @Test
  void noTimeIsOverAtOnce() {
    Instant now = NOW.plusMillis(999);
    assertThat(Expiry.end("0s", now)).isEqualTo(NOW);
    assertThat(Expiry.end(now.toString(), now)).isEqualTo(NOW);
    assertThat(Expiry.end("1s", now)).isEqualTo(NOW.plusSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "7", "7w", "7D", "-7d", "+7d", "1.5h", "7 d", "1h30m", "1234567890d", "soon"})
  void refusesWhatIsNone(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Expiry.end(text, NOW))
        .withMessageContaining(Expiry.FORMS);
  }
}
