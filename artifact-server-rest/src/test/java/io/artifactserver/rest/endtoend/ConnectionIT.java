package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Things that HTTP/1 alone has (RFC 9112): a syntax of lines, versions, keep-alive, Upgrade. HTTP/2
 * has none of them, so this does not run there; {@link Http2IT} has the connections of HTTP/2.
 */
@EnumSource(names = {"HTTP1", "TLS12", "TLS13"})
class ConnectionIT extends EachTransport {
  private static final String GET = "GET /artifacts/public/table.bin HTTP/1.1\r\nHost: device\r\n";
  private static final byte[] FIRST_FOUR = Arrays.copyOf(SharedServer.TABLE, 4);

  @Test
  void http10ClientIsServedAndItsConnectionClosed() throws IOException {
    try (Wire wire = open()) {
      wire.send("GET /artifacts/public/table.bin HTTP/1.0\r\nRange: bytes=0-3\r\n\r\n");
      Response response = wire.receive(true);
      assertThat(response.status()).isEqualTo(206);
      assertThat(response.field("Transfer-Encoding")).isEmpty();
      assertThat(response.body()).isEqualTo(FIRST_FOUR);
      assertThat(wire.isClosedByServer()).isTrue();
    }
  }

  @Test
  void http10KeepAliveIsHonoured() throws IOException {
    try (Wire wire = open()) {
      for (int i = 0; i < 3; i++) {
        wire.send(
            "GET /artifacts/public/table.bin HTTP/1.0\r\nConnection: keep-alive\r\n"
                + "Range: bytes=0-3\r\n\r\n");
        assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
      }
    }
  }

  /** RFC 9113, section 3.1: it is obsolete. It is not taken, in any form. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
        "Connection: Upgrade\r\nUpgrade: h2c\r\n",
        "Upgrade: h2c\r\n",
        "Connection: Upgrade\r\n",
        "Connection: upgrade\r\nUpgrade: h2c, websocket\r\n",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
      })
  void anUpgradeIsIgnored(String fields) throws IOException {
    try (Wire wire = open()) {
      for (int i = 0; i < 2; i++) {
        wire.send(GET + fields + "Content-Length: 0\r\nRange: bytes=0-3\r\n\r\n");
        Wire.Response answer = wire.receive(true);
        assertThat(answer.status()).isEqualTo(206);
        assertThat(answer.body()).isEqualTo(FIRST_FOUR);
      }
    }
  }

  /** They come in several reads, and those of the next request with the last. */
  @ParameterizedTest
  @ValueSource(ints = {1_900, 2_100, 9_000, 25_000, 31_000})
  void longHeadsAreAnsweredAndWhatFollowsThemToo(int length) throws IOException {
    String head = GET + "X-Long: %s\r\nRange: bytes=0-3\r\n".formatted("x".repeat(length));
    try (Wire wire = open()) {
      wire.send(head + "Content-Length: 5\r\n\r\nhello" + head + "\r\n" + head + "\r\n");
      assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
      assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
      assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
    }
  }

  @Test
  void getWithABodyIsAnsweredAndTheNextRequestToo() throws IOException {
    try (Wire wire = open()) {
      for (int i = 0; i < 2; i++) {
        wire.send(GET + "Range: bytes=0-3\r\nContent-Length: 5\r\n\r\nhello");
        assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
      }
    }
  }

  @Test
  void absoluteFormAndAQueryAreTolerated() throws IOException {
    try (Wire wire = open()) {
      wire.send(
          "GET http://device/artifacts/public/table.bin?cachebuster=1 HTTP/1.1\r\nHost: device\r\n"
              + "Range: bytes=0-3\r\n\r\n");
      assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5\r\nContent-Length: 6\r\n",
        "Content-Length: 5, 6\r\n",
        "Content-Length: -1\r\n",
        "Content-Length: +5\r\n",
        "Content-Length: 5x\r\n",
        "Content-Length : 5\r\n",
        "Content-Length: 99999999999999999999\r\n",
        "Transfer-Encoding: gzip\r\n",
        "Transfer-Encoding: chunked, gzip\r\n",
        "Transfer-Encoding: xchunked\r\n",
        "Transfer-Encoding : chunked\r\n",
        "X-Folded: a\r\n b\r\n",
        " X-Leading: a\r\n",
        "X-Bare\rCR: a\r\n",
        "X-Null: a\u0000b\r\n",
        "No-Colon\r\n",
        ": no-name\r\n",
        "Bad Name: a\r\n",
        "Host: other\r\n",
        "Transfer-Encoding: gzip, chunked\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
        "Transfer-Encoding: chunked;q=1\r\n",
        "X-Hidden: a\n\r\n",
        "X-Hidden: a\nGET /artifacts/public/table.bin HTTP/1.1\r\n",
        "X-Hidden: a\n\nGET /artifacts/public/table.bin HTTP/1.1\r\nHost: device\r\n",
        "X-Hidden: a\rX-More: b\r\n",
      })
  void smugglingShapesAreRefusedAndTheConnectionClosed(String fields) throws IOException {
    try (Wire wire = open()) {
      wire.send(GET + fields + "\r\n" + GET + "\r\n");
      Response response = wire.receive(true);
      assertThat(response.status()).isBetween(400, 501);
      assertThat(response.text()).doesNotContain("\tat ", "Exception", "jetty");
      assertThat(wire.isClosedByServer()).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET /artifacts/public/table.bin HTTP/1.1\r\n\r\n",
        "GET /artifacts/public/table.bin HTTP/3.7\r\nHost: a\r\n\r\n",
        "GET /artifacts/public/\u0001 HTTP/1.1\r\nHost: a\r\n\r\n",
        "\u0016\u0003\u0001\r\n\r\n",
        "GET /artifacts/public/table.bin HTTP/1.1\nHost: a\r\n\r\n",
        "\nGET /artifacts/public/table.bin HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /artifacts/public/table.bin#fragment HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /artifacts/public/../table.bin HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /artifacts/public/%zz HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /artifacts/public/%00 HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /api/v1/repositories#fragment HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /artifacts/public/table.bin HTTP/1.1\r\nHost: a b\r\n\r\n",
        "GET /artifacts/public/table.bin HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\n\r\n",
        "GET /artifacts/public/table.bin HTTP/1.0\r\nHost: a\r\nConnection: keep-alive\r\n"
            + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
      })
  void malformedRequestsAreRefusedAndTheConnectionClosed(String request) throws IOException {
    try (Wire wire = open()) {
      wire.send(request + GET + "\r\n");
      assertThat(wire.receive(true).status()).isBetween(400, 505);
      assertThat(wire.isClosedByServer()).isTrue();
    }
  }
}
