package io.artifactserver.storage.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Heads that are understood, and those that are left to a client that knows more. */
class PlainHeadTest {
  @Test
  void aPartialAnswer() throws Exception {
    assertThat(
            parse(
                "HTTP/1.1 206 Partial Content|Date: Sun|ETag: \"a:b\"|content-LENGTH:  5 |"
                    + "Content-Range: bytes 0-4/10|Accept-Ranges: bytes|"))
        .isEqualTo(new PlainHead(206, 5, "bytes 0-4/10", "\"a:b\"", true));
  }

  @ParameterizedTest
  @ValueSource(strings = {"HTTP/1.1 404 ", "HTTP/1.1 404", "HTTP/1.1 404 It is not here"})
  void theReasonIsOfNoMatter(String line) throws Exception {
    assertThat(parse(line + "|Connection: Close|Content-Length: 0|"))
        .isEqualTo(new PlainHead(404, 0, null, null, false));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "|",
        "HTTP/1.0 206 OK|Content-Length: 5|",
        "HTTP/2 206 OK|Content-Length: 5|",
        "HTTP/1.1 100 Continue|Content-Length: 0|",
        "HTTP/1.1 2066 OK|Content-Length: 5|",
        "HTTP/1.1 2 6 OK|Content-Length: 5|",
        "HTTP/1.1 +06 OK|Content-Length: 5|",
        "HTTP/1.1 206 OK|",
        "HTTP/1.1 206 OK|Content-Length: 5|Content-Length: 5|",
        "HTTP/1.1 206 OK|Content-Length: 5, 5|",
        "HTTP/1.1 206 OK|Content-Length: -5|",
        "HTTP/1.1 206 OK|Content-Length: +5|",
        "HTTP/1.1 206 OK|Content-Length: 99999999999999999999|",
        "HTTP/1.1 206 OK|Content-Length:|",
        "HTTP/1.1 206 OK|Content-Length: 5|Transfer-Encoding: chunked|",
        "HTTP/1.1 206 OK|Content-Length: 5|Content-Encoding: gzip|",
        "HTTP/1.1 206 OK|Content-Length: 5|no colon|",
        "HTTP/1.1 206 OK|Content-Length: 5|: no name|",
        "HTTP/1.1 206 OK|Content-Length: 5|Without: end",
      })
  void whatIsUnusualIsRefused(String head) {
    assertThatThrownBy(() -> parse(head)).isInstanceOf(IOException.class);
  }

  private static PlainHead parse(String head) throws IOException {
    return PlainHead.parse(head.replace("|", "\r\n"));
  }
}
