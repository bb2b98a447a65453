package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sentences in a field of an answer: RFC 9651, section 3.3.3. */
class WarningsFieldTest {
  @Test
  void sentencesAreReadBack() {
    List<String> sentences = List.of("In it, \"a.gz\" is one \\ stream.", "", "Another, of two.");
    String field = WarningsField.of(sentences);
    assertThat(field)
        .isEqualTo("\"In it, \\\"a.gz\\\" is one \\\\ stream.\", \"\", \"Another, of two.\"");
    assertThat(WarningsField.parse(field)).isEqualTo(sentences);
  }

  /** A file's name in an archive is its maker's. */
  @Test
  void nothingBeginsAnotherField() {
    assertThat(WarningsField.of(List.of("a\r\nSet-Cookie: b\u0000\u007f\u00fc")))
        .isEqualTo("\"a??Set-Cookie: b???\"");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "\"", "\"\\", "a\\\"b", "\"\\\\\\\""})
  void aValueOfAnotherFormHasNone(String value) {
    assertThat(WarningsField.parse(value)).isEmpty();
  }
}
