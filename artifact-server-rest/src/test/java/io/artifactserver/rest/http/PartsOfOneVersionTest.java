package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartsOfOneVersionTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Range: bytes=0-3                                          | true",
        "Range: BYTES=0-                                           | true",
        "Range: bytes=1-                                           | false",
        "Range: bytes=-3                                           | false",
        "Range: bytes=00-3                                         | false",
        "Range: bytes=0-3,10-20                                    | false",
        "Range: bytes=1-; If-Range: \"a\"                          | true",
        "Range: bytes=-3; If-Match: \"a\"                          | true",
        "Range: bytes=1-; If-Match: *                              | false",
        "Range: bytes=1-; If-Range: W/\"a\"                        | false",
        "Range: bytes=1-; If-Range: Thu, 01 Jan 2026 00:00:00 GMT  | false",
        "Range: bytes=1-; If-Unmodified-Since: Thu, 01 Jan 2026 00:00:00 GMT | false",
        "Range: bytes=1-; If-None-Match: \"a\"                     | false",
        "Accept: *                                                 | false",
      })
  void aRangeIsAnsweredWhereNoTwoVersionsCanMeet(String fields, boolean isAllowed) {
    assertThat(PartsOfOneVersion.allowRange(fields(fields))).isEqualTo(isAllowed);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Range: bytes=0-3               | false",
        "If-Range: \"a\"                | true",
        "If-Match: \"a\", \"b\"         | true",
        "If-Match: *                    | false",
      })
  void aTagNamesTheVersion(String fields, boolean isNamed) {
    assertThat(PartsOfOneVersion.isNamed(fields(fields))).isEqualTo(isNamed);
  }

  private static RequestFields fields(String text) {
    Map<String, String> fields =
        Arrays.stream(text.split("; "))
            .map(line -> line.split(": ", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
    return name -> Optional.ofNullable(fields.get(name));
  }
}
