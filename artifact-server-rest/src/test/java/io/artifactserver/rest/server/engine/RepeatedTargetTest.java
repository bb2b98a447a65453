package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RepeatedTargetTest {
  private static final String REQUEST =
      "GET /a/%s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer y\r\n\r\n";
  private static final String HEAD =
      "HTTP/1.1 200 OK\r\n"
          + "Date: Mon, 23 Nov 2026 08:37:26 GMT\r\n"
          + "ETag: \"e\"\r\n"
          + "Content-Length: 5\r\n\r\n";

  private final ByteBuffer written = ByteBuffer.allocate(RepeatedRequest.MAX_HEAD);
  private final List<String> asked = new ArrayList<>();
  private final TargetResponder responder =
      new TargetResponder() {
        @Override
        public String end() {
          return "0011";
        }

        @Override
        public @Nullable Found open(String end) {
          asked.add(end);
          return end.equals("ffff")
              ? null
              : new Found(
                  HttpFields.build()
                      .put(HttpHeader.ETAG, "\"" + end + "\"")
                      .put(HttpHeader.CONTENT_LENGTH, 5),
                  new Nothing());
        }
      };

  @Test
  void anotherEndIsAskedFor() {
    assertThat(answerTo(REQUEST.formatted("abcd"))).isNotNull();
    assertThat(asked).containsExactly("abcd");
    assertThat(StandardCharsets.ISO_8859_1.decode(written.flip()).toString())
        .isEqualTo(
            HEAD.replace("\"e\"", "\"abcd\"")
                .replace("Mon, 23 Nov 2026 08:37:26 GMT", "Tue, 24 Nov 2026 00:00:00 GMT"));
  }

  @Test
  void whatTheResponderDoesNotKnowIsHandled() {
    assertThat(answerTo(REQUEST.formatted("ffff"))).isNull();
    assertThat(asked).containsExactly("ffff");
  }

  @Test
  void anyOtherByteMakesItAnotherRequest() {
    String request = REQUEST.formatted("0012");
    int end = request.indexOf("0012");
    for (int i = 0; i < request.length(); i++) {
      if (i < end || i >= end + 4) {
        char other = (char) (request.charAt(i) ^ 0x20);
        String changed = request.substring(0, i) + other + request.substring(i + 1);
        assertThat(answerTo(changed)).as("at " + i).isNull();
      }
      assertThat(answerTo(request.substring(0, i))).as("up to " + i).isNull();
    }
    assertThat(answerTo(request + request)).isNull();
    assertThat(answerTo(REQUEST.formatted("001"))).isNull();
    assertThat(answerTo(REQUEST.formatted("00112"))).isNull();
    assertThat(asked).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /a/0012 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a/0011?x HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a/0011 HTTP/1.0\r\nHost: x\r\n\r\n",
        "HEAD /a/0011 HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a/0011 HTTP/1.1\r\nHost: x\r\nIf-None-Match: \"a\"\r\n\r\n",
        "GET /a/0011 HTTP/1.1\r\nHost: x\r\nif-modified-since: y\r\n\r\n",
        "GET /a/0011 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
        "GET /a/0011 HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n",
        "GET /a/0011 HTTP/1.1\r\nHost: x\r\n\r\nGET ",
        "0011 HTTP/1.1\r\n\r\n",
        "GET /a HTTP/1.1\r\nX: 0011 HTTP/1.1\r\n\r\n"
      })
  void anythingButAPlainRequestIsNotLearnt(String request) {
    assertThat(of(request, HEAD)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 206 Partial Content\r\nDate: d\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 404 Not Found\r\nDate: d\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nServer: s\r\nDate: d\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\nDate: d\r\nConnection: close\r\nContent-Length: 5\r\n\r\n",
        ""
      })
  void anythingButA200IsNotRepeated(String head) {
    assertThat(of(REQUEST.formatted("0011"), head)).isEmpty();
  }

  private @Nullable RepeatedBody answerTo(String request) {
    return learnt().answerTo(bytes(request), "Tue, 24 Nov 2026 00:00:00 GMT", written);
  }

  private RepeatedRequest learnt() {
    return of(REQUEST.formatted("0011"), HEAD).orElseThrow();
  }

  private Optional<RepeatedRequest> of(String request, String head) {
    return RepeatedRequest.of(
        request.getBytes(StandardCharsets.ISO_8859_1),
        head.getBytes(StandardCharsets.ISO_8859_1),
        responder);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(("#" + text).getBytes(StandardCharsets.ISO_8859_1)).position(1);
  }

  private static final class Nothing implements RepeatedBody {
    @Override
    public ByteBuffer[] buffers() {
      return new ByteBuffer[0];
    }
  }
}
