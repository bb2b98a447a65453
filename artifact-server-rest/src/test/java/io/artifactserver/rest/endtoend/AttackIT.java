package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import java.lang.management.ManagementFactory;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attacks with the lines of HTTP/1.1, and with connections. Those of HTTP/2 are {@link
 * Http2AttackIT}'s. TLS 1.2 differs in its handshake alone, so that is attacked with both versions.
 */
@Transports(value = Transport.HTTP1, nightly = Transport.TLS13)
@InTurn(1)
class AttackIT extends Siege {
  /** All that strangers reach, whatever it answers them. */
  private static final List<String> OPEN_PAGES =
      List.of(
          "/",
          "/swagger-ui/",
          "/swagger-ui/swagger-ui.css",
          "/swagger-ui/swagger-ui-bundle.js",
          "/actuator/health",
          "/actuator/health/liveness",
          "/actuator/health/readiness",
          "/actuator/prometheus",
          "/v3/api-docs",
          "/api/v1/repositories",
          "/artifacts/nowhere/at/all",
          WARM,
          ENCRYPTED);

  /**
   * The same attack as frames of a byte over HTTP/2. Jetty has ended a request whose body nobody
   * wants, and parses the next piece of the body all the same; it refuses that by an exception.
   */
  @ParameterizedTest
  @ExpectsLog("HttpConnection\\$RequestHandler\\.content")
  @ValueSource(strings = {"GET " + WARM, "PUT /api/v1/repositories/public/artifacts/x"})
  void chunksOfAByte(String request) throws Exception {
    byte[] chunks = "1\r\nx\r\n".repeat(20_000).getBytes(StandardCharsets.US_ASCII);
    inParallel(
        64,
        i ->
            quietly(() -> {
              Socket connection = connection(4096);
              send(
                  connection,
                  request + " HTTP/1.1\r\nHost: device\r\nTransfer-Encoding: chunked\r\n\r\n");
              connection.getOutputStream().write(chunks);
            }));
  }

  @ParameterizedTest
  @ValueSource(strings = {WARM, ENCRYPTED})
  void clientsThatNeverRead(String path) throws Exception {
    inParallel(
        500,
        i ->
            quietly(() ->
                send(
                    connection(4096),
                    "GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(path).repeat(4))));
    pause(Duration.ofSeconds(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/swagger-ui/swagger-ui-bundle.js", "/actuator/health"})
  @Nightly("Nobody takes more memory than downloads, which each build has.")
  void clientsThatNeverReadPages(String path) throws Exception {
    clientsThatNeverRead(path);
  }

  /** A byte at a time, from each page that is open. */
  @Test
  void clientsThatReadSlowly() throws Exception {
    inParallel(
        500,
        i ->
            quietly(() -> {
              Socket client = connection(4096);
              String path = OPEN_PAGES.get(i % OPEN_PAGES.size());
              send(client, "GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(path).repeat(4));
              client.setSoTimeout(100);
              for (int round = 0; round < 20; round++) {
                try {
                  client.getInputStream().read();
                } catch (SocketTimeoutException e) {
                  // It has not been answered yet.
                }
                LockSupport.parkNanos(100_000_000);
              }
            }));
  }

  @Test
  void halfHeads() throws Exception {
    for (int i = 0; i < connections(enough(20_000)); i++) {
      // Some are closed to make room.
      quietly(() ->
          send(
              connection(0),
              "GET %s HTTP/1.1\r\nHost: device\r\nX-Half: %s".formatted(WARM, "x".repeat(500))));
    }
  }

  /** As many, or as this process may open; a tenth where each costs two handshakes' time. */
  private int connections(int wanted) {
    int most =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? (int) Math.min(wanted, unix.getMaxFileDescriptorCount() - 500)
            : wanted;
    return transport.isSecured() ? Math.min(wanted / 10, most) : most;
  }

  /** Long fields, and as many short ones as a head may have. */
  @ParameterizedTest
  @CsvSource({"1000, 30", "1, 250"})
  void longHalfHeads(int length, int fields) throws Exception {
    String head =
        "GET / HTTP/1.1\r\nHost: device\r\n"
            + "X: %s\r\n".formatted("x".repeat(length)).repeat(fields);
    for (int i = 0; i < connections(enough(5_000)); i++) {
      // Some are closed to make room.
      quietly(() -> send(connection(0), head));
    }
  }

  @Test
  void fieldsWithoutNumber() throws Exception {
    inParallel(
        50,
        i -> {
          try (Wire wire = server().open()) {
            wire.send(
                "GET %s HTTP/1.1\r\nHost: device\r\n%s\r\n"
                    .formatted(WARM, "a:b\r\n".repeat(6000)));
            assertThat(wire.receive(true).status()).isEqualTo(431);
          }
        });
  }

  @Test
  void cookieBombs() throws Exception {
    inParallel(
        50,
        i -> {
          try (Wire wire = server().open()) {
            try {
              wire.send(
                  "GET %s HTTP/1.1\r\nHost: device\r\nCookie: %s\r\n\r\n"
                      .formatted(WARM, "a=b; ".repeat(20_000)));
            } catch (SocketException e) {
              // Over TLS it is refused, and the connection reset, while it is still sent.
              return;
            }
            assertThat(wire.receive(true).status()).isEqualTo(431);
          }
        });
  }

  @Test
  void scatteredRanges() throws Exception {
    StringBuilder ranges = new StringBuilder("bytes=0-0");
    for (int i = 1; ranges.length() < 31_000; i++) {
      ranges.append(',').append(i * 300).append('-').append(i * 300);
    }
    inParallel(
        16,
        i -> {
          for (String path : List.of(WARM, ENCRYPTED)) {
            try (Wire wire = server().open()) {
              wire.send(
                  "GET %s HTTP/1.1\r\nHost: device\r\nRange: %s\r\n\r\n".formatted(path, ranges));
              assertThat(wire.receive(true).status()).isEqualTo(206);
            }
          }
        });
  }

  @Test
  @Tag(REQUESTS)
  void missers() throws Exception {
    askForAbsentPaths("public");
  }

  /** Absent paths of a protected repository, and of none. */
  @ParameterizedTest
  @ValueSource(strings = {"encrypted", "nowhere"})
  @Tag(REQUESTS)
  @Nightly("A path that a public repository lacks takes the longest way to its 404.")
  void missersElsewhere(String repository) throws Exception {
    askForAbsentPaths(repository);
  }

  private void askForAbsentPaths(String repository) throws Exception {
    Random random = new Random(1);
    askOnAndOn(
        () ->
            "GET /artifacts/%s/%s HTTP/1.1\r\nHost: device\r\n\r\n"
                .formatted(repository, Long.toHexString(random.nextLong())),
        401,
        404,
        503);
  }

  @Override
  void downloads() throws Exception {
    askOnAndOn(
        () -> "GET " + WARM + " HTTP/1.1\r\nHost: device\r\nRange: bytes=0-4095\r\n\r\n", 206);
  }

  /** 500 clients for five seconds. */
  private void askOnAndOn(Supplier<String> requests, Integer... statuses) throws Exception {
    if (transport.isSecured()) {
      long end = System.nanoTime() + 5_000_000_000L;
      inParallel(
          500,
          i -> {
            try (Wire wire = server().open()) {
              while (System.nanoTime() < end) {
                wire.send(requests.get());
                assertThat(wire.receive(true).status()).isIn((Object[]) statuses);
              }
            }
          });
      return;
    }
    try (ClosedLoop clients = new ClosedLoop(server().port(), 500, requests)) {
      Map<Integer, Integer> answers = clients.run(5);
      System.out.println("  answers by status: " + answers);
      assertThat(answers).isNotEmpty();
      assertThat(answers.keySet()).isSubsetOf(statuses);
    }
  }

  /** Clients that shake hands and go, and those that shake half a hand. */
  @Test
  void handshakes() throws Exception {
    byte[] halfHello = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3};
    List<Transport> transports = transport.ofOneServer();
    inParallel(
        16,
        i -> {
          for (int n = 0; n < 60; n++) {
            Endpoint endpoint = server().by(transports.get(n % transports.size()));
            endpoint.secured(endpoint.connect(0)).close();
            keep(endpoint.connect(0)).getOutputStream().write(halfHello);
          }
        });
  }
}
