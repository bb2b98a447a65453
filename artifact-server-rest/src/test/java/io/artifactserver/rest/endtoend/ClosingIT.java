package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.RecordWire.Header;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * How a connection ends after its last answer (RFC 9112, section 9.6): all of the answer arrives,
 * whatever the client has sent beyond its request, and its end follows at once.
 */
@EnumSource(names = {"HTTP1", "TLS12", "TLS13"})
class ClosingIT extends EachTransport {
  private static final String PATH = "/artifacts/public/closing.bin";
  private static final byte[] CONTENT = Bytes.random(1_000_000, 92);

  /** Bytes that a socket always has room for. */
  private static final int HELD_BY_SOCKETS = 8_000;

  private static final int SMALL_BUFFER = 4_096;

  /** In TLS 1.3 an alert looks like data, but is short even when it is padded. */
  private static final int MAX_ALERT = 48;

  @BeforeParameterizedClassInvocation
  void put() throws Exception {
    try (Operator operator = server.operator()) {
      assertThat(operator.put("public", "closing.bin", CONTENT).statusCode()).isIn(200, 201);
    }
  }

  private RecordWire connect() throws IOException {
    return RecordWire.open(server, SMALL_BUFFER);
  }

  /** The client waits, and sends nothing: neither FIN nor close_notify. */
  private void requireEnd(RecordWire wire) throws IOException {
    List<Header> rest = wire.awaitEnd();
    switch (transport) {
      case HTTP1, H2C, H2 -> {
        // There are no records, or they are of HTTP/2.
      }
      case TLS12 -> assertThat(rest).extracting(Header::type).containsExactly(RecordWire.ALERT);
      case TLS13 -> {
        assertThat(rest).extracting(Header::type).containsExactly(RecordWire.APPLICATION_DATA);
        assertThat(rest.getFirst().length()).isLessThan(MAX_ALERT);
      }
    }
  }

  private static Stream<String> lastRequests() {
    return Stream.of(
            "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nRange: bytes=0-999\r\n\r\n",
            "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET %s HTTP/1.0\r\nRange: bytes=0-999\r\n\r\n",
            "GET %s-missing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET /api/v1/repositories HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
            "GET /api/v1/repositories HTTP/1.0\r\n\r\n")
        .map(request -> request.formatted(PATH));
  }

  @ParameterizedTest
  @MethodSource("lastRequests")
  void theEndFollowsTheLastAnswer(String request) throws IOException {
    try (RecordWire wire = connect()) {
      wire.send(request);
      Wire.Response answer = new Wire(wire.socket()).receive(true);
      assertThat(answer.status()).isIn(200, 206, 401, 404);
      requireEnd(wire);
    }
  }

  /** The second is not answered, and does no harm. */
  @ParameterizedTest
  @MethodSource("lastRequests")
  void anotherRequestBehindTheLast(String request) throws IOException {
    try (RecordWire wire = connect()) {
      wire.send(request + request.repeat(20));
      Wire.Response answer = new Wire(wire.socket()).receive(true);
      assertThat(answer.status()).isIn(200, 206, 401, 404);
      wire.send(request.repeat(20));
      requireEnd(wire);
    }
  }

  /** Its body comes while the server has answered and closed its side. */
  @Test
  void aBodyThatNobodyReads() throws Exception {
    try (RecordWire wire = connect()) {
      wire.send(
          "GET %s HTTP/1.1\r\nHost: a\r\nContent-Length: 500000\r\n\r\nfirst".formatted(PATH));
      byte[] begin = wire.receive();
      wire.send(new byte[100_000]);
      requireRest(wire, begin);
    }
  }

  /** A client that reads slowly has much of its answer before it when the server closes. */
  @Test
  void aSlowReaderThatSendsOn() throws Exception {
    String request = "GET %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".formatted(PATH);
    try (RecordWire wire = connect()) {
      wire.send(request);
      byte[] begin = wire.receive();
      wire.send(request.repeat(1_000));
      requireRest(wire, begin);
    }
  }

  private void requireRest(RecordWire wire, byte[] begin) throws Exception {
    String text = new String(begin, StandardCharsets.ISO_8859_1);
    assertThat(text).startsWith("HTTP/1.1 200 ").containsIgnoringCase("\r\nConnection: close\r\n");
    int headLength = text.indexOf("\r\n\r\n") + 4;
    byte[] body = new byte[CONTENT.length];
    int length = begin.length - headLength;
    System.arraycopy(begin, headLength, body, 0, length);
    length += wire.in().readNBytes(body, length, body.length - HELD_BY_SOCKETS - length);
    eventually("the server has sent all", () -> !wire.isServerSending());
    wire.send(new byte[200_000]);
    // These bytes were in the server's socket when it closed, and are lost with a reset.
    wire.in().readNBytes(body, length, body.length - length);
    assertThat(Arrays.equals(body, CONTENT)).isTrue();
    requireEnd(wire);
  }

  /** The client sends all of its body before it reads that it need not have. */
  @Test
  void anUploadThatIsRefused() throws Exception {
    try (RecordWire wire = connect()) {
      int length = 20_000_000;
      wire.send(
          "PUT /api/v1/repositories/public/artifacts/x HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
              .formatted(length));
      byte[] piece = new byte[100_000];
      for (int sent = 0; sent < length; sent += piece.length) {
        wire.send(piece);
      }
      assertThat(new Wire(wire.socket()).receive(true).status()).isEqualTo(401);
      requireEnd(wire);
    }
  }

  /** Refused by Jetty's parser, with more behind it. */
  @Test
  void aMalformedRequest() throws Exception {
    try (RecordWire wire = connect()) {
      wire.send("GET / HTTP/1.1\r\nHost: a\r\nNo-Colon\r\n\r\n" + "x".repeat(100_000));
      assertThat(new Wire(wire.socket()).receive(true).status()).isEqualTo(400);
      eventually("the server has sent all", () -> !wire.isServerSending());
      wire.send(new byte[1_000_000]);
      requireEnd(wire);
    }
  }
}
