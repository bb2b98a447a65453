package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RepeatedRequestTest {
  private static final String REQUEST =
      "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=%s\r\nAuthorization: Bearer y\r\n\r\n";
  private static final String HEAD =
      "HTTP/1.1 206 Partial Content\r\n"
          + "Date: Mon, 23 Nov 2026 08:37:26 GMT\r\n"
          + "ETag: \"e\"\r\n"
          + "Content-Range: bytes %d-%d/800000000\r\n"
          + "Content-Length: %d\r\n\r\n";
  private static final RangeResponder NOTHING = range -> null;
  private static final RangeResponder EMPTY = range -> () -> new ByteBuffer[0];

  @ParameterizedTest
  @CsvSource({
    "0-0,0,1",
    "0-99,0,100",
    "007-8,7,2",
    "799999999-799999999,799999999,1",
    "799999990-999999999999999999,799999990,10",
  })
  void aRangeOfTheSameRequestIsRead(String range, long position, long length) {
    assertThat(learnt().rangeOf(bytes(REQUEST.formatted(range))))
        .isEqualTo(new ByteRange(position, length));
  }

  /** All of these are for a handler, which answers some of them with 416. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "5-4",
        "5-",
        "-5",
        "800000000-800000001",
        "1000000000000000000-1000000000000000001",
        "0-1,5-6",
        "0-1 ",
        " 0-1",
        "+0-1",
        "0--1",
        "a-b",
        "0-1\r\nX: y",
      })
  void anyOtherRangeIsNot(String range) {
    assertThat(learnt().rangeOf(bytes(REQUEST.formatted(range)))).isNull();
  }

  @Test
  void anyOtherByteMakesItAnotherRequest() {
    String request = REQUEST.formatted("10-19");
    int range = request.indexOf("10-19");
    for (int i = 0; i < request.length(); i++) {
      if (i < range || i >= range + "10-19".length()) {
        char other = (char) (request.charAt(i) ^ 0x20);
        String changed = request.substring(0, i) + other + request.substring(i + 1);
        assertThat(learnt().rangeOf(bytes(changed))).as("at " + i).isNull();
      }
      assertThat(learnt().rangeOf(bytes(request.substring(0, i)))).as("up to " + i).isNull();
    }
    assertThat(learnt().rangeOf(bytes(request + request))).isNull();
    assertThat(learnt().rangeOf(bytes(request + "G"))).isNull();
    assertThat(learnt().rangeOf(bytes(request))).isEqualTo(new ByteRange(10, 10));
  }

  /** Of numbers of every length. */
  @Test
  void theHeadIsAsItWouldBe() {
    Random random = new Random(7);
    for (int i = 0; i < 2_000; i++) {
      long from = random.nextLong(Math.round(Math.pow(10, i % 9)) + 1);
      long to = from + random.nextLong(Math.round(Math.pow(10, i % 8)) + 1);
      ByteRange range = new ByteRange(from, to - from + 1);
      assertThat(learnt().rangeOf(bytes(REQUEST.formatted(from + "-" + to)))).isEqualTo(range);
      ByteBuffer head = ByteBuffer.allocate(RepeatedRequest.MAX_LENGTH);
      ByteBuffer request = bytes(REQUEST.formatted(from + "-" + to));
      assertThat(learnt().answerTo(request, "Tue, 24 Nov 2026 00:00:00 GMT", head)).isNotNull();
      assertThat(StandardCharsets.ISO_8859_1.decode(head.flip()).toString())
          .isEqualTo(
              HEAD.formatted(from, to, to - from + 1)
                  .replace("Mon, 23 Nov 2026 08:37:26 GMT", "Tue, 24 Nov 2026 00:00:00 GMT"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HEAD /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\n\r\n",
        "GET /a HTTP/1.0\r\nHost: x\r\nRange: bytes=0-1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1,3-4\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nRange: bytes=0-1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nrange:\tlines=0-1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: lines=0-1\r\nX: bytes=0-1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nConnection: close\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nContent-Length: 5\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\nExpect: 100-continue\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nRange: bytes=0-1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\n\r\nGET /b",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\n",
        "GET /a HTTP/1.1\nHost: x\r\nRange: bytes=0-1\r\n\r\n",
        "GET /a HTTP/1.1\r\nHost: x\r\nRange: bytes=0-1\r\n ,5-6\r\n\r\n",
      })
  void anythingButAPlainRequestOfOneRangeIsNotLearnt(String request) {
    assertThat(
            RepeatedRequest.of(request.getBytes(StandardCharsets.ISO_8859_1), head(HEAD), NOTHING))
        .isEmpty();
  }

  @Test
  void aConnectionMayBeSaidToStay() {
    assertThat(
            of(
                "GET /a HTTP/1.1\r\nConnection: keep-alive\r\nrange: bytes=5-9\r\nHost: x\r\n\r\n",
                HEAD))
        .isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 503 Service Unavailable\r\nDate: d\r\nContent-Range: bytes 0-1/5\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-1/5\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 206 Partial Content\r\nDate: d\r\nContent-Type: multipart/byteranges\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 206 Partial Content\r\nDate: d\r\nConnection: close\r\nContent-Range: bytes 0-1/5\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 206 Partial Content\r\nDate: d\r\nContent-Range: bytes 0-1/5\r\nContent-Length: 2\r\nX: y\r\n\r\n",
        "HTTP/1.1 206 Partial Content\r\nDate: d\r\nContent-Range: bytes 0-1/*\r\nContent-Length: 2\r\n\r\n",
        "",
      })
  void anythingButOneRangeIsNotRepeated(String head) {
    assertThat(of(REQUEST.formatted("0-1"), head)).isEmpty();
  }

  @Test
  void whatIsLongIsNotKept() {
    String head = HEAD.replace("\"e\"", "e".repeat(RepeatedRequest.MAX_LENGTH));
    assertThat(of(REQUEST.formatted("0-1"), head)).isEmpty();
  }

  private static RepeatedRequest learnt() {
    return of(REQUEST.formatted("3-4"), HEAD).orElseThrow();
  }

  private static Optional<RepeatedRequest> of(String request, String head) {
    return RepeatedRequest.of(request.getBytes(StandardCharsets.ISO_8859_1), head(head), EMPTY);
  }

  private static byte[] head(String head) {
    return head.formatted(3, 4, 2).getBytes(StandardCharsets.ISO_8859_1);
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(("#" + text).getBytes(StandardCharsets.ISO_8859_1)).position(1);
  }
}
