package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 9110, section 5.6.7. */
class HttpDateTest {
  private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Sun, 06 Nov 1994 08:49:37 GMT | 1994-11-06T08:49:37Z",
        "Sunday, 06-Nov-94 08:49:37 GMT | 1994-11-06T08:49:37Z",
        "Sun Nov  6 08:49:37 1994 | 1994-11-06T08:49:37Z",
        "Sun Nov 16 08:49:37 1994 | 1994-11-16T08:49:37Z",
        "Tue, 29 Feb 2028 00:00:00 GMT | 2028-02-29T00:00:00Z",
        "Thursday, 01-Jan-76 00:00:00 GMT | 2076-01-01T00:00:00Z",
        "Saturday, 01-Jan-77 00:00:00 GMT | 1977-01-01T00:00:00Z",
        "Sat, 31 Dec 2016 23:59:60 GMT | 2017-01-01T00:00:00Z",
      })
  void anyOfTheThreeFormsIsRead(String text, Instant expected) {
    assertThat(HttpDate.parse(text, NOW)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "sun, 06 nov 1994 08:49:37 gmt",
        "Sun, 32 Nov 1994 08:49:37 GMT",
        "Wed, 30 Feb 2028 00:00:00 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",
        "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z",
        "Sun, 00 Nov 1994 08:49:37 GMT",
      })
  void anythingElseIsNoDate(String text) {
    assertThat(HttpDate.parse(text, NOW)).isEmpty();
  }

  @Test
  void formatIsReadBackWithoutItsFraction() {
    String text = HttpDate.format(Instant.parse("2026-03-01T01:02:03.999Z"));
    assertThat(text).isEqualTo("Sun, 01 Mar 2026 01:02:03 GMT");
    assertThat(HttpDate.parse(text, NOW)).contains(Instant.parse("2026-03-01T01:02:03Z"));
  }
}
