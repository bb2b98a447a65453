package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of HTTP/1 (RFC 9112): keep-alive, pipelining, old clients, aborts, smuggling. */
@ExtendWith(SharedServer.class)
class ConnectionIT {
  private static final String GET = "GET /artifacts/public/table.bin HTTP/1.1\r\nHost: device\r\n";
  private static final byte[] FIRST_FOUR = Arrays.copyOf(SharedServer.TABLE, 4);

  @Test
  void tenThousandRequestsShareAConnection(PackagedServer server) throws Exception {
    try (Wire wire = new Wire(server.port());
        Operator operator = new Operator(server)) {
      double before = repeated(operator);
      for (int i = 0; i < 10_500; i++) {
        int first = i % 9_000;
        wire.send(GET + "Range: bytes=%d-%d\r\n\r\n".formatted(first, first + 3));
        assertThat(wire.receive(true).body())
            .isEqualTo(Arrays.copyOfRange(SharedServer.TABLE, first, first + 4));
      }
      // All but the first two.
      assertThat(repeated(operator) - before).isGreaterThanOrEqualTo(10_498);
    }
  }

  @Test
  void whatIsDeletedOrReplacedIsSoOnAConnectionThatRepeatsItself(PackagedServer server)
      throws Exception {
    try (Wire wire = new Wire(server.port());
        Operator operator = new Operator(server)) {
      for (int version = 0; version < 3; version++) {
        byte[] content = Bytes.random(3_000, version);
        assertThat(operator.put("public", "repeated.bin", content).statusCode()).isEqualTo(201);
        for (int i = 0; i < 20; i++) {
          Response answer = repeat(wire, i);
          assertThat(answer.status()).isEqualTo(206);
          assertThat(answer.body()).isEqualTo(Arrays.copyOfRange(content, i, i + 1_000));
        }
        assertThat(
                operator.delete("/api/v1/repositories/public/artifacts/repeated.bin").statusCode())
            .isEqualTo(204);
        assertThat(repeat(wire, 7).status()).isEqualTo(404);
        assertThat(repeat(wire, 8).status()).isEqualTo(404);
      }
    }
  }

  private static Response repeat(Wire wire, int first) throws IOException {
    wire.send(
        "GET /artifacts/public/repeated.bin HTTP/1.1\r\nHost: device\r\nRange: bytes=%d-%d\r\n\r\n"
            .formatted(first, first + 999));
    return wire.receive(true);
  }

  private static double repeated(Operator operator) throws Exception {
    return operator
        .get("/actuator/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith("artifact_server_requests_repeated_total "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .sum();
  }

  @Test
  void fiftyPipelinedRangesAreAnsweredInOrder(PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
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
  void http10ClientIsServedAndItsConnectionClosed(PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      wire.send("GET /artifacts/public/table.bin HTTP/1.0\r\nRange: bytes=0-3\r\n\r\n");
      Response response = wire.receive(true);
      assertThat(response.status()).isEqualTo(206);
      assertThat(response.field("Transfer-Encoding")).isEmpty();
      assertThat(response.body()).isEqualTo(FIRST_FOUR);
      assertThat(wire.isClosedByServer()).isTrue();
    }
  }

  @Test
  void http10KeepAliveIsHonoured(PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      for (int i = 0; i < 3; i++) {
        wire.send(
            "GET /artifacts/public/table.bin HTTP/1.0\r\nConnection: keep-alive\r\n"
                + "Range: bytes=0-3\r\n\r\n");
        assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
      }
    }
  }

  /** RFC 9113, section 3.1: it is obsolete. Whatever it looks like, it is not taken. */
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
  void anUpgradeIsIgnored(String fields, PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      for (int i = 0; i < 2; i++) {
        wire.send(GET + fields + "Content-Length: 0\r\nRange: bytes=0-3\r\n\r\n");
        Wire.Response answer = wire.receive(true);
        assertThat(answer.status()).isEqualTo(206);
        assertThat(answer.body()).isEqualTo(FIRST_FOUR);
      }
    }
  }

  /** They are parsed when they have come whole. */
  @ParameterizedTest
  @ValueSource(ints = {1_900, 2_100, 9_000, 25_000, 31_000})
  void longHeadsAreAnsweredAndWhatFollowsThemToo(int length, PackagedServer server)
      throws IOException {
    String head = GET + "X-Long: %s\r\nRange: bytes=0-3\r\n".formatted("x".repeat(length));
    try (Wire wire = new Wire(server.port())) {
      wire.send(head + "Content-Length: 5\r\n\r\nhello" + head + "\r\n" + head + "\r\n");
      assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
      assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
      assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
    }
  }

  @Test
  void getWithABodyIsAnsweredAndTheNextRequestToo(PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      for (int i = 0; i < 2; i++) {
        wire.send(GET + "Range: bytes=0-3\r\nContent-Length: 5\r\n\r\nhello");
        assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
      }
    }
  }

  @Test
  void absoluteFormAndAQueryAreTolerated(PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      wire.send(
          "GET http://device/artifacts/public/table.bin?cachebuster=1 HTTP/1.1\r\nHost: device\r\n"
              + "Range: bytes=0-3\r\n\r\n");
      assertThat(wire.receive(true).body()).isEqualTo(FIRST_FOUR);
    }
  }

  @Test
  void thousandRangesInOneRequestAreServed(PackagedServer server) throws IOException {
    StringBuilder ranges = new StringBuilder("bytes=0-1");
    for (int i = 1; i < 1_000; i++) {
      ranges.append(",%d-%d".formatted(i * 9, i * 9 + 1));
    }
    try (Wire wire = new Wire(server.port())) {
      wire.send(GET + "Range: " + ranges + "\r\n\r\n");
      Response response = wire.receive(true);
      assertThat(response.status()).isEqualTo(206);
      assertThat(response.text().split("Content-Range: ", -1)).hasSize(1_001);
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
      })
  void smugglingShapesAreRefusedAndTheConnectionClosed(String fields, PackagedServer server)
      throws IOException {
    try (Wire wire = new Wire(server.port())) {
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
      })
  void malformedRequestsAreRefusedAndTheConnectionClosed(String request, PackagedServer server)
      throws IOException {
    try (Wire wire = new Wire(server.port())) {
      wire.send(request);
      assertThat(wire.receive(true).status()).isBetween(400, 505);
      assertThat(wire.isClosedByServer()).isTrue();
    }
  }

  @Test
  void overlongTargetIsRefused(PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      wire.send("GET /artifacts/public/" + "x".repeat(100_000) + " HTTP/1.1\r\nHost: a\r\n\r\n");
      assertThat(wire.receive(true).status()).isEqualTo(414);
    }
  }

  @Test
  void floodOfFieldsIsRefused(PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      wire.send(GET + "X-Flood: yes\r\n".repeat(10_000) + "\r\n");
      assertThat(wire.receive(true).status()).isEqualTo(431);
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
  void namesThatNothingCanHaveAreRefused(String path, PackagedServer server) throws IOException {
    try (Wire wire = new Wire(server.port())) {
      wire.send("GET " + path + " HTTP/1.1\r\nHost: device\r\n\r\n");
      Response response = wire.receive(true);
      assertThat(response.status()).isIn(400, 404);
      assertThat(response.field("Content-Type")).contains("application/problem+json");
      assertThat(response.text()).doesNotContain("\tat ", "Exception");
    }
  }

  @Test
  void abortedBodiesAreQuietAndLeakNothing(PackagedServer server) throws Exception {
    byte[] large = Bytes.random(40_000_000, 5);
    try (Operator operator = new Operator(server)) {
      assertThat(operator.put("public", "large.bin", large).statusCode()).isIn(200, 201);
    }
    abort(server, 50);
    long descriptors = descriptors(server);
    abort(server, 300);
    eventually("the descriptors are closed", () -> descriptors(server) <= descriptors + 20);
    assertThat(server.log()).doesNotContain("EofException", "Broken pipe", "Connection reset");
  }

  private static void abort(PackagedServer server, int times) throws IOException {
    for (int i = 0; i < times; i++) {
      try (Wire wire = new Wire(server.port())) {
        wire.send("GET /artifacts/public/large.bin HTTP/1.1\r\nHost: device\r\n\r\n");
        assertThat(wire.receive(false).status()).isEqualTo(200);
        wire.reset();
      }
    }
  }

  private static long descriptors(PackagedServer server) throws IOException {
    try (var files =
        java.nio.file.Files.list(java.nio.file.Path.of("/proc/" + server.pid() + "/fd"))) {
      return files.count();
    }
  }
}
