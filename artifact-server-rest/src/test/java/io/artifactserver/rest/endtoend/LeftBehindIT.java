package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.rest.endtoend.Visitor.Visit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A connection leaves nothing behind, however it ends: what the server holds after some connections
 * of a kind is what it holds after {@code -Dleft.connections} more. An honest client downloads
 * meanwhile, and none of its downloads is cut.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Nightly("Every attack's suite looks at what it leaves behind; here each kind of connection does.")
class LeftBehindIT {
  private static final int CONNECTIONS = Integer.getInteger("left.connections", 500);
  private static final int WARM_UP = 300;
  private static final int CLIENTS = 8;

  /** The honest client downloads once for so many connections of a kind. */
  private static final int CONNECTIONS_PER_DOWNLOAD = 50;

  private static final int DOWNLOADS_PER_CONNECTION = 2;

  private static final long MAX_DIRECT = 1_000_000;
  private static final long MAX_HEAP = 3_000_000;

  /** The memory that the C library and the compiler take now and then. */
  private static final long MAX_NATIVE = 16_000_000;

  private static final long MAX_DESCRIPTORS = 10;

  private static final byte[] SMALL = Bytes.random(4_000, 1);
  private static final byte[] LARGE = Bytes.random(6_000_000, 2);

  private Path folder;
  private TestAuthority authority;
  private PackagedServer plain;
  private PackagedServer secured;
  private Operator plainOperator;
  private Operator securedOperator;
  private Visitor.Clients clients;
  private final Semaphore downloadsDue = new Semaphore(0);

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    authority.issue("renewed", "CN=renewed", "san=dns:localhost,ip:127.0.0.1");
    authority.issue("device", "CN=device");
    // The same name, and another key: its certificates are shown, and refused.
    TestAuthority forger =
        new TestAuthority(Files.createDirectory(folder.resolve("forger")), "authority");
    forger.issue("device", "CN=device");
    clients =
        new Visitor.Clients(
            authority.client(null),
            authority.client("device"),
            forger.client("device", authority),
            forger.client(null));
    plain = start("plain", false);
    secured = start("secured", true);
    plainOperator = new Operator(plain);
    securedOperator = new Operator(secured, clients.trusting());
    for (Operator operator : List.of(plainOperator, securedOperator)) {
      operator.createRepository("public", true);
      operator.put("public", "small.bin", SMALL);
      operator.put("public", "large.bin", LARGE);
    }
    for (int i = 0; i < 2; i++) {
      for (ConnectionKind kind : ConnectionKind.values()) {
        repeat(kind, WARM_UP / 2);
      }
    }
    renew(WARM_UP);
  }

  @AfterAll
  void stop() {
    for (AutoCloseable each : List.of(plainOperator, securedOperator)) {
      try {
        each.close();
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
    }
    plain.close();
    secured.close();
  }

  private PackagedServer start(String name, boolean isSecured) throws Exception {
    List<String> arguments = new ArrayList<>();
    // Pages of the heap that were never used would look like native memory when they are.
    arguments.addAll(
        List.of("-Xms256m", "-XX:+AlwaysPreTouch", PackagedServer.CIPHERS_COMPILED_WELL));
    if (!isSecured) {
      return PackagedServer.start(folder.resolve(name), arguments.toArray(String[]::new));
    }
    arguments.add("--artifact-server.tls.certificate=" + authority.certificateFile("server"));
    arguments.add("--artifact-server.tls.private-key=" + authority.keyFile("server"));
    arguments.add("--artifact-server.tls.client-certificates=want");
    arguments.add("--artifact-server.tls.client-ca=" + authority.authorityFile());
    arguments.add("--artifact-server.tls.check-interval=100ms");
    return PackagedServer.startWithTls(folder.resolve(name), arguments.toArray(String[]::new));
  }

  @ParameterizedTest
  @EnumSource(ConnectionKind.class)
  void nothingIsLeftOf(ConnectionKind kind) throws Exception {
    judge(kind.name(), kind.isPlain(), () -> repeat(kind, CONNECTIONS));
  }

  /** Each certificate has sessions and a context of its own. */
  @Test
  void nothingIsLeftOfCertificates() throws Exception {
    judge("RENEWED", false, () -> renew(CONNECTIONS));
  }

  private interface Act {
    void run() throws Exception;
  }

  private void judge(String name, boolean isPlain, Act act) throws Exception {
    PackagedServer server = isPlain ? plain : secured;
    Operator operator = isPlain ? plainOperator : securedOperator;
    Held before = Held.by(server, operator);
    downloadsDue.drainPermits();
    try (ExecutorService honest = Executors.newSingleThreadExecutor()) {
      AtomicBoolean isOver = new AtomicBoolean();
      Future<Integer> downloads = honest.submit(() -> download(server, isOver));
      try {
        act.run();
      } finally {
        isOver.set(true);
        downloadsDue.release(DOWNLOADS_PER_CONNECTION);
      }
      assertThat(downloads.get()).isPositive();
    }
    assertThat(operator.metric("artifact_server_connections_ended_total", "reason=\"held\""))
        .isZero();
    AtomicReference<Held> after = new AtomicReference<>(before);
    eventuallyPasses(
        "it holds what it held",
        () -> {
          after.set(Held.by(server, operator));
          after.get().requireLike(before);
        });
    System.out.printf("%s%n  %s%n  %s%n", name, before, after);
  }

  /** A device that gets what it asks for, on one connection after the other. */
  private int download(PackagedServer server, AtomicBoolean isOver) throws Exception {
    int downloads = 0;
    while (!isOver.get()) {
      try (Wire wire = new Wire(visitor(server).connection())) {
        for (int i = 0; i < DOWNLOADS_PER_CONNECTION; i++) {
          downloadsDue.acquire();
          wire.send("GET /artifacts/public/large.bin HTTP/1.1\r\nHost: device\r\n\r\n");
          assertThat(wire.receive(true).body()).isEqualTo(LARGE);
          downloads++;
        }
      }
    }
    return downloads;
  }

  private Visitor visitor(PackagedServer server) {
    return new Visitor(
        server.port(),
        server == plain ? null : clients,
        "/artifacts/public/small.bin",
        SMALL,
        "/artifacts/public/large.bin");
  }

  private void repeat(ConnectionKind kind, int connections) throws Exception {
    repeat(visitor(kind.isPlain() ? plain : secured), kind.visit(), connections);
  }

  private void repeat(Visitor visitor, Visit visit, int connections) throws Exception {
    AtomicInteger left = new AtomicInteger(connections);
    try (ExecutorService threads = Executors.newFixedThreadPool(CLIENTS)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        all.add(
            threads.submit(() -> {
              for (int own = left.getAndDecrement(); own > 0; own = left.getAndDecrement()) {
                visit.to(visitor);
                if (own % CONNECTIONS_PER_DOWNLOAD == 0) {
                  downloadsDue.release();
                }
              }
              return null;
            }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  /** Connections to one certificate, then to another, and to the first again. */
  private void renew(int connections) throws Exception {
    for (String name : List.of("renewed", "server")) {
      // The key first: until both are there, the old ones are served.
      authority.keyFile(name, folder.resolve("server.key"));
      authority.certificateFile(name, folder.resolve("server.pem"));
      String subject = name.equals("server") ? "CN=localhost" : "CN=" + name;
      eventually(subject + " is served", () -> subject().equals(subject));
      repeat(ConnectionKind.TLS_1_3_WITHOUT_CLOSE_NOTIFY, connections / 4);
      repeat(ConnectionKind.TLS_1_2_RESUMED, connections / 4);
    }
  }

  private String subject() throws Exception {
    try (Visitor.Secured connection = visitor(secured).fresh("TLSv1.3")) {
      SSLSocket socket = connection.socket();
      socket.startHandshake();
      return socket.getSession().getPeerPrincipal().getName();
    }
  }

  /**
   * The resources that a server holds when it has nothing to do.
   *
   * @param anonymous memory of the process that is in no file, in bytes
   */
  private record Held(Footprint footprint, long anonymous) {
    private static final Pattern ANONYMOUS = Pattern.compile("Pss_Anon:\\s+(\\d+) kB");

    static Held by(PackagedServer server, Operator operator)
        throws IOException, InterruptedException {
      Footprint footprint = Footprint.of(server, operator);
      String memory =
          String.join(
              "\n", Files.readAllLines(Path.of("/proc/%d/smaps_rollup".formatted(server.pid()))));
      return new Held(
          footprint,
          ANONYMOUS
              .matcher(memory)
              .results()
              .mapToLong(result -> 1024 * Long.parseLong(result.group(1)))
              .findFirst()
              .orElseThrow());
    }

    void requireLike(Held before) {
      assertThat(
              List.of(
                  footprint.direct() - before.footprint.direct() <= MAX_DIRECT,
                  footprint.heap() - before.footprint.heap() <= MAX_HEAP,
                  // Jetty's pool grows with a burst, and lets go of a thread a minute.
                  footprint.threads() <= Footprint.MAX_THREADS,
                  footprint.descriptors() - before.footprint.descriptors() <= MAX_DESCRIPTORS,
                  anonymous - before.anonymous <= MAX_NATIVE))
          .as("%s after %s", this, before)
          .containsOnly(true);
    }

    @Override
    public String toString() {
      return "%s, %.1f MB anonymous".formatted(footprint, anonymous / 1e6);
    }
  }
}
