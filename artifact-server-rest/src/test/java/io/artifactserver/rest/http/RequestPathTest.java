package io.artifactserver.rest.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.catalog.InvalidNameException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** RFC 3986, section 2.1. */
class RequestPathTest {
  @ParameterizedTest
  @CsvSource({
    "a/b.bin, a/b.bin",
    "a%20b, a b",
    "%C3%A4, ä",
    "%f0%9f%93%a6, 📦",
    "100%25, 100%",
    "a%2Bb, a+b",
    "a+b, a+b",
    "a;v=1, a;v=1",
    "%2e%2E, ..",
  })
  void percentEncodedUtf8IsDecodedOnce(String raw, String decoded) {
    assertThat(RequestPath.decode(raw)).isEqualTo(decoded);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"%", "%4", "a%", "%zz", "%2F", "a%2fb", "%C3", "%80", "%C0%AF", "%ED%A0%80", "ä"})
  void anythingElseIsRefused(String raw) {
    assertThatThrownBy(() -> RequestPath.decode(raw)).isInstanceOf(InvalidNameException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a/b", "a b", "ä", "📦", "100%", "a+b;c=d?e#f", "~!$'()*,:@&="})
  void encodedPathsAreDecodedBack(String path) {
    assertThat(RequestPath.decode(RequestPath.encode(path))).isEqualTo(path);
    assertThat(RequestPath.encode(path)).matches("[A-Za-z0-9%/._~!$'()*,:@-]*");
  }
}
