package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** RFC 6266 and RFC 8187. */
class ContentDispositionTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "fw-1.0.raucb | attachment; filename=\"fw-1.0.raucb\"",
        "a b.bin | attachment; filename=\"a b.bin\"",
        "ä.bin | attachment; filename=\"_.bin\"; filename*=UTF-8''%C3%A4.bin",
        "a\"b | attachment; filename=\"a_b\"; filename*=UTF-8''a%22b",
        "50%.bin | attachment; filename=\"50_.bin\"; filename*=UTF-8''50%25.bin",
        "a;b'c | attachment; filename=\"a;b'c\"",
      })
  void nameIsQuotedOrExtended(String fileName, String expected) {
    assertThat(ContentDisposition.attachment(fileName)).isEqualTo(expected);
  }
}
