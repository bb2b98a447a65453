package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Many requests on a connection, requests that nobody should send, and clients that go away. */
@Transports(
    value = {Transport.HTTP1, Transport.H2},
    nightly = {Transport.H2C, Transport.TLS12, Transport.TLS13})
class RequestsIT extends EachTransport {
  private static final String GET = "GET /artifacts/public/table.bin HTTP/1.1\r\nHost: device\r\n";

  @Test
  void tenThousandRequestsShareAConnection() throws Exception {
    try (Wire wire = open();
        Operator operator = server.operator()) {
      double before = operator.metric("artifact_server_requests_repeated_total");
      for (int i = 0; i < 10_500; i++) {
        int first = i % 9_000;
        wire.send(GET + "Range: bytes=%d-%d\r\n\r\n".formatted(first, first + 3));
        assertThat(wire.receive(true).body())
            .isEqualTo(Arrays.copyOfRange(SharedServer.TABLE, first, first + 4));
      }
      // All but the first two; over TLS and HTTP/2 a handler is asked for each.
      assertThat(operator.metric("artifact_server_requests_repeated_total") - before)
          .isGreaterThanOrEqualTo(transport == Transport.HTTP1 ? 10_498 : 0);
    }
  }

  @Test
  void whatIsDeletedOrReplacedIsSoOnAConnectionThatRepeatsItself() throws Exception {
    try (Wire wire = open();
        Operator operator = server.operator()) {
      operator.createMutableRepository("replaced");
      for (int version = 0; version < 3; version++) {
        byte[] content = Bytes.random(3_000, version);
        assertThat(operator.put("replaced", "repeated.bin", content).statusCode()).isEqualTo(201);
        for (int i = 0; i < 20; i++) {
          Response answer = repeat(wire, i);
          assertThat(answer.status()).isEqualTo(206);
          assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(content, i, i + 1_000));
        }
        assertThat(
                operator
                    .delete("/api/v1/repositories/replaced/artifacts/repeated.bin")
                    .statusCode())
            .isEqualTo(204);
        assertThat(repeat(wire, 7).status()).isEqualTo(410);
        assertThat(repeat(wire, 8).status()).isEqualTo(410);
      }
    }
  }

  private static Response repeat(Wire wire, int first) throws IOException {
    wire.send(
        "GET /artifacts/replaced/repeated.bin HTTP/1.1\r\nHost: device\r\nRange: bytes=%d-%d\r\n\r\n"
            .formatted(first, first + 999));
    return wire.receive(true);
  }

  /** To whoever sends it, it is a mistake of the client. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "POST /login",
        "POST /login/end",
        "PUT /api/v1/repositories/public/artifacts/x",
        "POST /api/v1/repositories/public/artifacts",
        "DELETE /api/v1/repositories/public/artifacts",
        "POST /api/v1/uploads",
        "POST /api/v1/tokens",
        "GET /api/v1/repositories",
        "GET /DEFAULT/controller/v1/x",
        "PUT /poll/swupdate/public/stable/fw/log",
        "GET /artifacts/public/table.bin"
      })
  void aMediaTypeThatCannotBeReadIsNoFailureOfTheServer(String line) throws Exception {
    for (String token :
        new String[] {"", "Authorization: Bearer " + server.operatorToken() + "\r\n"}) {
      for (String type :
          new String[] {"\"", "/;=", "multipart/form-data;boundary=\"", "text/plain;charset=x"}) {
        try (Wire wire = open()) {
          wire.send(
              "%s HTTP/1.1\r\nHost: device\r\n%sContent-Type: %s\r\nContent-Length: 1\r\n\r\nx"
                  .formatted(line, token, type));
          assertThat(wire.receive(true).status()).as("%s, %s", token, type).isBetween(200, 499);
        }
      }
    }
  }

  @Test
  void fiftyRangesThatAreAskedForAtOnceAreAnswered() throws IOException {
    try (Wire wire = open()) {
      StringBuilder requests = new StringBuilder();
      for (int i = 0; i < 50; i++) {
        requests.append(GET).append("Range: bytes=%d-%d\r\n\r\n".formatted(i * 100, i * 100 + 99));
      }
      wire.send(requests.toString());
      for (int i = 0; i < 50; i++) {
        Response response = wire.receive(true);
        assertThat(response.field("Content-Range"))
            .contains("bytes %d-%d/10000".formatted(i * 100, i * 100 + 99));
        assertThat(response.body())
            .isEqualTo(Arrays.copyOfRange(SharedServer.TABLE, i * 100, i * 100 + 100));
      }
    }
  }

  @Test
  void thousandRangesInOneRequestAreServed() throws IOException {
    StringBuilder ranges = new StringBuilder("bytes=0-1");
    for (int i = 1; i < 1_000; i++) {
      ranges.append(",%d-%d".formatted(i * 9, i * 9 + 1));
    }
    try (Wire wire = open()) {
      wire.send(GET + "Range: " + ranges + "\r\n\r\n");
      Response response = wire.receive(true);
      assertThat(response.status()).isEqualTo(206);
      assertThat(response.text().split("Content-Range: ", -1)).hasSize(1_001);
    }
  }

  @Test
  void overlongTargetIsRefused() throws IOException {
    requireRefused(
        "GET /artifacts/public/" + "x".repeat(100_000) + " HTTP/1.1\r\nHost: a\r\n\r\n", 414);
  }

  @Test
  void floodOfFieldsIsRefused() throws IOException {
    requireRefused(GET + "X-Flood: yes\r\n".repeat(10_000) + "\r\n", 431);
  }

  /** HTTP/2 and TLS send it in pieces: the server may end the connection before it has them all. */
  private void requireRefused(String request, int status) throws IOException {
    try (Wire wire = open()) {
      wire.send(request);
      assertThat(wire.receive(true).status()).isEqualTo(status);
    } catch (IOException e) {
      if (transport == Transport.HTTP1) {
        throw e;
      }
    }
    try (Wire wire = open()) {
      wire.send(GET + "\r\n");
      assertThat(wire.receive(true).body()).isEqualTo(SharedServer.TABLE);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/artifacts/public/%2e%2e/secret/table.bin",
        "/artifacts/public/../secret/table.bin",
        "/artifacts/public/a%2Fb",
        "/artifacts/public/a%5Cb",
        "/artifacts/public/a\\b",
        "/artifacts/public/%00",
        "/artifacts/public//table.bin",
        "/artifacts/public/",
        "/artifacts//table.bin",
        "/artifacts/public/%zz",
        "/artifacts/public/%FF",
        "/artifacts/-bad/table.bin",
        "/blobs/sha256/xyz",
        "/blobs/sha256/../../etc/passwd",
      })
  void namesThatNothingCanHaveAreRefused(String path) throws IOException {
    try (Wire wire = open()) {
      wire.send("GET " + path + " HTTP/1.1\r\nHost: device\r\n\r\n");
      Response response = wire.receive(true);
      assertThat(response.status()).isIn(400, 404);
      assertThat(response.field("Content-Type")).contains("application/problem+json");
      assertThat(response.text()).doesNotContain("\tat ", "Exception");
    }
  }

  @Test
  void abortedBodiesAreQuietAndLeakNothing() throws Exception {
    byte[] large = Bytes.random(40_000_000, 5);
    try (Operator operator = server.operator()) {
      assertThat(operator.put("public", "large.bin", large).statusCode()).isIn(200, 201);
    }
    int before = server.server().log().length();
    abort(50);
    long descriptors = descriptors();
    abort(300);
    eventually("the descriptors are closed", () -> descriptors() <= descriptors + 20);
    assertThat(server.server().log().substring(before))
        .doesNotContain("EofException", "Broken pipe", "Connection reset");
  }

  private void abort(int times) throws IOException {
    for (int i = 0; i < times; i++) {
      try (Wire wire = open()) {
        wire.send("GET /artifacts/public/large.bin HTTP/1.1\r\nHost: device\r\n\r\n");
        assertThat(wire.receive(false).status()).isEqualTo(200);
        wire.reset();
      }
    }
  }

  private long descriptors() throws IOException {
    try (var files =
        java.nio.file.Files.list(java.nio.file.Path.of("/proc/" + server.server().pid() + "/fd"))) {
      return files.count();
    }
  }
}
