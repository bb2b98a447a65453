package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.program.Programs;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process may open few files, and clients would take all: the server keeps what PostgreSQL,
 * health and files need, and a newcomer is told to come again, or waits.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DescriptorsIT {
  private static final int LIMIT = 1_200;
  private static final int RECEIVE_BUFFER = 4 * 1024;
  private static final byte[] LARGE = Bytes.random(8_000_000, 1);

  /** More than there are descriptors beside those of the server itself. */
  private static final int ARTIFACTS = 1_100;

  /** Longer than what is sent from the heap. */
  private static final byte[] SMALL = Bytes.random(70_000, 2);

  private static final int STREAMS = 100;

  private static final String RANGE =
      "GET /artifacts/public/large.bin HTTP/1.1\r\nHost: device\r\nRange: bytes=0-3\r\n\r\n";

  private static final Pattern PROMISE = Pattern.compile("Takes (\\d+) connections");

  /** The time and the thread of a failure to accept. */
  private static final Pattern FAILURE =
      Pattern.compile("T(\\d\\d:\\d\\d:\\d\\d\\.\\d{3}).*\\[([^]]+)].*Accept Failure");

  private final List<AutoCloseable> open = new ArrayList<>();
  private PackagedServer server;
  private SSLContext trust;
  private Operator operator;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    Programs.assumeInstalled("prlimit");
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    trust = authority.client(null);
    server =
        PackagedServer.startWithTls(
            folder.resolve("data"),
            PackagedServer.OPEN_FILES + LIMIT,
            "--artifact-server.tls.certificate=" + authority.certificateFile("server"),
            "--artifact-server.tls.private-key=" + authority.keyFile("server"),
            "--artifact-server.catalog.cache-ttl=1ms");
    operator = new Operator(server, trust);
    operator.createRepository("public", true);
    operator.put("public", "large.bin", LARGE);
    operator.put("public", "cold.bin", SMALL);
  }

  @AfterEach
  void letGo() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    open.clear();
    // A connection of the operator's that waited may have been ended in favour of others.
    eventually("there is room", () -> status() == 206);
  }

  @AfterAll
  void stop() {
    operator.close();
    server.close();
  }

  @Test
  void moreConnectionsThanThereMayBe() throws Exception {
    int promised =
        PROMISE
            .matcher(server.log())
            .results()
            .map(MatchResult::group)
            .map(group -> Integer.parseInt(group.replaceAll("\\D", "")))
            .findFirst()
            .orElseThrow();
    for (int i = 0; i < promised; i++) {
      // On the port that redirects: they ask for nothing.
      keep(new Socket(InetAddress.getLoopbackAddress(), server.healthUri("").getPort()));
    }
    Optional<Integer> refused = Optional.empty();
    for (int i = 0; i < 2 * promised && refused.isEmpty(); i++) {
      Wire busy = new Wire(keep(secured("http/1.1")));
      busy.send("GET /artifacts/public/large.bin HTTP/1.1\r\nHost: device\r\n\r\n");
      // Or its connection would be idle, and the one to go.
      assertThat(operator.get("/api/v1/repositories").statusCode()).isEqualTo(200);
      if (i % 10 == 0) {
        refused = Optional.of(status()).filter(status -> status != 206);
      }
    }
    assertThat(refused).contains(503);
    requireServed("beside-connections");
    assertThat(descriptors()).isLessThan(LIMIT);
    letGo();
    assertThat(status()).isEqualTo(206);
  }

  /** Each stream may have a file of its own sent, and take nothing. */
  @Test
  @Nightly("The bound of open files has its unit tests; this one uploads a thousand.")
  void moreFilesThanThereMayBe() throws Exception {
    for (int i = 0; i < ARTIFACTS; i++) {
      byte[] bytes = SMALL.clone();
      bytes[0] = (byte) i;
      bytes[1] = (byte) (i >> 8);
      assertThat(operator.put("public", "small-" + i, bytes).statusCode()).isEqualTo(201);
    }
    int artifact = 0;
    while (artifact < ARTIFACTS) {
      Http2Wire wire = keep(Http2Wire.open(secured("h2"), 0));
      int end = Math.min(ARTIFACTS, artifact + STREAMS);
      for (int answers = end - artifact; artifact < end; artifact++) {
        wire.get("/artifacts/public/small-" + artifact);
        if (artifact == end - 1) {
          for (int i = 0; i < answers; i++) {
            assertThat(wire.await(Http2Wire.HEADERS).stream()).isPositive();
          }
        }
      }
    }
    assertThat(descriptors()).isLessThan(LIMIT / 2 + LIMIT / 3);
    assertThat(status()).isEqualTo(206);
    requireServed("beside-files");
  }

  /**
   * As if others had them all: the limit is lowered below what is open. The server's thread waits
   * in accept(2), which took a descriptor before it began to wait: one newcomer gets it.
   */
  @Test
  // The fault of this test: Jetty logs each accept(2) that fails.
  @ExpectsLog("java.io.IOException: Too many open files")
  void withoutADescriptorNewcomersWait() throws Exception {
    // While it is sent, the file is open.
    Wire unread = new Wire(keep(secured("http/1.1")));
    unread.send("GET /artifacts/public/large.bin HTTP/1.1\r\nHost: device\r\n\r\n");
    assertThat(unread.receive(false).status()).isEqualTo(200);
    try (Wire known = new Wire(secured("http/1.1"))) {
      requireOnlyDatabase(known);
      long failures = failures().size();
      List<CompletableFuture<Integer>> newcomers;
      limit(descriptors() / 2);
      try {
        newcomers =
            Stream.generate(() -> CompletableFuture.supplyAsync(DescriptorsIT.this::statusOrFail))
                .limit(2)
                .toList();
        eventually("it tries again", () -> failures().size() > failures + 4);
        requireOnlyDatabase(known);
        assertThat(newcomers).anyMatch(newcomer -> !newcomer.isDone());
      } finally {
        limit(LIMIT);
      }
      for (CompletableFuture<Integer> newcomer : newcomers) {
        assertThat(newcomer.get()).isEqualTo(206);
      }
      requireServed("after-the-shortage");
    }
    Map<String, LocalTime> last = new HashMap<>();
    for (MatchResult failure : failures()) {
      LocalTime time = LocalTime.parse(failure.group(1));
      LocalTime before = last.put(failure.group(2), time);
      if (before != null && before.isBefore(time)) {
        assertThat(Duration.between(before, time)).isGreaterThan(Duration.ofMillis(900));
      }
    }
  }

  /** Health, PostgreSQL, an upload, and a file that was not open. */
  private void requireServed(String name) throws Exception {
    assertThat(operator.get("/actuator/health").statusCode()).isEqualTo(200);
    assertThat(operator.json("POST", "/api/v1/repositories", repository(name)).statusCode())
        .isEqualTo(201);
    assertThat(operator.put(name, "new.bin", SMALL).statusCode()).isEqualTo(201);
    assertThat(operator.download("/artifacts/public/cold.bin").body()).isEqualTo(SMALL);
  }

  /** Requests that need no new file: PostgreSQL by a connection that is there, and an open file. */
  private void requireOnlyDatabase(Wire known) throws IOException {
    known.send(
        "GET /api/v1/tokens HTTP/1.1\r\nHost: operator\r\nAuthorization: Bearer %s\r\n\r\n"
            .formatted(server.operatorToken()));
    assertThat(known.receive(true).status()).isEqualTo(200);
    known.send(RANGE);
    assertThat(known.receive(true).status()).isEqualTo(206);
  }

  private static String repository(String name) {
    return "{\"name\": \"%s\", \"public\": true, \"encrypted\": false}".formatted(name);
  }

  private int statusOrFail() {
    try {
      return status();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The status that a newcomer gets. */
  private int status() throws IOException {
    try (Wire wire = new Wire(secured("http/1.1"))) {
      wire.send(RANGE);
      return wire.receive(true).status();
    }
  }

  private List<MatchResult> failures() throws IOException {
    return FAILURE.matcher(server.log()).results().toList();
  }

  private long descriptors() throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/%d/fd".formatted(server.pid())))) {
      return all.count();
    }
  }

  private void limit(long files) throws Exception {
    Process prlimit =
        new ProcessBuilder(
                "prlimit", "--pid", Long.toString(server.pid()), "--nofile=" + files + ":")
            .redirectErrorStream(true)
            .start();
    assertThat(prlimit.waitFor()).isZero();
  }

  private SSLSocket secured(String protocol) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(RECEIVE_BUFFER);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    SSLSocket secured =
        (SSLSocket) trust.getSocketFactory().createSocket(socket, "localhost", server.port(), true);
    SSLParameters parameters = secured.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    secured.setSSLParameters(parameters);
    return secured;
  }

  private <T extends AutoCloseable> T keep(T connection) {
    open.add(connection);
    return connection;
  }
}
