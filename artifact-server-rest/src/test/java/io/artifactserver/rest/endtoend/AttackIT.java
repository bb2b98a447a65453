package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What one machine without a token can do to the server: each attack is bounded in time and size,
 * and while it goes on an honest device is answered. Afterwards the server holds what it held
 * before. What the honest device saw is printed; with {@code -Dattack.thresholds=true}, on a quiet
 * machine, it is asserted, and each attack is repeated for ten seconds, so that there is enough of
 * it to speak of a percentile.
 */
class AttackIT {
  private static final String WARM = "/artifacts/public/warm.bin";
  private static final String ENCRYPTED = "/artifacts/encrypted/warm.bin";
  private static final String TLS = "tls";

  /** An attack that works the server hard, and may delay others less than any other. */
  private static final String MISSES = "misses";

  /** In MB; a fifth of the launcher's, so that a fifth of the clients is enough to use it up. */
  private static final int DIRECT_MEMORY = 24;

  private static final int LENGTH = 2_000_000;
  private static final long RETURN_NANOS = 60_000_000_000L;
  private static final double MAX_P99_MILLIS = 50;
  private static final double MAX_P99_MILLIS_BESIDE_MISSES = 20;
  private static final double MAX_MILLIS_BESIDE_MISSES = 200;
  private static final double MAX_NEWCOMER_MILLIS = 1000;
  private static final boolean HAS_THRESHOLDS = Boolean.getBoolean("attack.thresholds");

  private static final long SUSTAINED_NANOS = HAS_THRESHOLDS ? 10_000_000_000L : 0;

  @RegisterExtension static final InvocationInterceptor SUSTAINED = new Sustained();

  @TempDir private static Path folder;

  private static PackagedServer server;
  private static PackagedServer secured;
  private static SSLContext trust;
  private static Operator operator;
  private static Operator operatorOfSecured;

  private final List<AutoCloseable> open = new ArrayList<>();
  private boolean isTls;
  private Witness witness;
  private Footprint before;

  @BeforeAll
  static void start() throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    trust = authority.client(null);
    server =
        PackagedServer.start(
            folder.resolve("data"),
            PackagedServer.COMPILED_WELL,
            "-XX:MaxDirectMemorySize=" + DIRECT_MEMORY + "m");
    secured =
        PackagedServer.startWithTls(
            folder.resolve("secured"),
            PackagedServer.COMPILED_WELL,
            "-XX:MaxDirectMemorySize=" + DIRECT_MEMORY + "m",
            "--artifact-server.tls.certificate=" + authority.certificateFile("server"),
            "--artifact-server.tls.private-key=" + authority.keyFile("server"));
    operator = new Operator(server);
    operatorOfSecured = new Operator(secured, trust);
    prepare(operator, () -> new Wire(server.port()));
    prepare(operatorOfSecured, () -> new Wire(securedSocket(0)));
  }

  private static void prepare(Operator operator, Witness.Line line) throws Exception {
    operator.createRepository("public", true);
    operator.createEncryptedRepository("encrypted");
    byte[] content = Bytes.random(LENGTH, 3);
    assertThat(operator.put("public", "warm.bin", content).statusCode()).isEqualTo(201);
    assertThat(operator.put("encrypted", "warm.bin", content).statusCode()).isEqualTo(201);
    // Whatever is made once is made before anything is measured.
    Witness warmup = new Witness(line, WARM);
    assertThat(operator.downloadAsNobody("/swagger-ui/swagger-ui-bundle.js").statusCode())
        .isEqualTo(200);
    assertThat(operator.downloadAsNobody(ENCRYPTED).statusCode()).isEqualTo(200);
    Thread.sleep(1000);
    warmup.stop();
  }

  @AfterAll
  static void stop() {
    operator.close();
    operatorOfSecured.close();
    server.close();
    secured.close();
  }

  @BeforeEach
  void watch(TestInfo test) throws Exception {
    isTls = test.getTags().contains(TLS);
    before = footprint();
    witness =
        new Witness(isTls ? () -> new Wire(securedSocket(0)) : () -> new Wire(server.port()), WARM);
  }

  private Footprint footprint() throws Exception {
    return isTls ? Footprint.of(secured, operatorOfSecured) : Footprint.of(server, operator);
  }

  @AfterEach
  void judge(TestInfo test) throws Exception {
    Witness.Report seen = witness.stop();
    letGo();
    assertThat((isTls ? secured : server).process().isAlive()).isTrue();
    Footprint after = footprint();
    long deadline = System.nanoTime() + RETURN_NANOS;
    while (!after.isLike(before) && System.nanoTime() < deadline) {
      Thread.sleep(500);
      after = footprint();
    }
    System.out.printf("%s%n  %s%n  %s%n  %s%n", test.getDisplayName(), seen, before, after);
    assertThat(after.isLike(before)).as("%s after %s", after, before).isTrue();
    if (HAS_THRESHOLDS) {
      boolean hasMisses = test.getTags().contains(MISSES);
      assertThat(seen.p99())
          .isLessThanOrEqualTo(hasMisses ? MAX_P99_MILLIS_BESIDE_MISSES : MAX_P99_MILLIS);
      if (hasMisses) {
        assertThat(seen.worst()).isLessThanOrEqualTo(MAX_MILLIS_BESIDE_MISSES);
      }
      assertThat(seen.worstNewcomer()).isLessThanOrEqualTo(MAX_NEWCOMER_MILLIS);
    }
  }

  private void letGo() throws Exception {
    for (AutoCloseable each : open) {
      each.close();
    }
    open.clear();
  }

  /** Repeats an attack until its time is over. */
  private static final class Sustained implements InvocationInterceptor {
    @Override
    public void interceptTestMethod(
        Invocation<@Nullable Void> invocation,
        ReflectiveInvocationContext<Method> context,
        ExtensionContext extension)
        throws Throwable {
      long begin = System.nanoTime();
      invocation.proceed();
      while (System.nanoTime() - begin < SUSTAINED_NANOS) {
        AttackIT test = (AttackIT) context.getTarget().orElseThrow();
        test.letGo();
        context.getExecutable().invoke(test, context.getArguments().toArray());
      }
    }

    @Override
    public void interceptTestTemplateMethod(
        Invocation<@Nullable Void> invocation,
        ReflectiveInvocationContext<Method> context,
        ExtensionContext extension)
        throws Throwable {
      interceptTestMethod(invocation, context, extension);
    }
  }

  /** It once took 33 MB to fill the heap. */
  @Test
  void dataFramesOfAByteBehindRequestsThatAreStalled() throws Exception {
    inParallel(
        4,
        i -> {
          Http2Wire wire = stalled();
          List<Integer> streams = new ArrayList<>();
          for (int stream = 0; stream < 64; stream++) {
            streams.add(openRequest(wire, "GET", WARM));
          }
          sendData(wire, streams, new byte[1], 30_000);
        });
  }

  @Test
  void dataFramesOfAByteToTheControlPlane() throws Exception {
    inParallel(
        4,
        i -> {
          Http2Wire wire = stalled();
          List<Integer> streams = new ArrayList<>();
          for (int stream = 0; stream < 64; stream++) {
            streams.add(openRequest(wire, "PUT", "/api/v1/repositories/public/artifacts/x"));
          }
          sendData(wire, streams, new byte[1], 30_000);
        });
  }

  /** A token that looks good has to be looked up, and its request waits meanwhile. */
  @Test
  void dataFramesWithTokensThatDoNotExist() throws Exception {
    inParallel(
        8,
        i -> {
          Http2Wire wire = stalled();
          List<Integer> streams = new ArrayList<>();
          for (int stream = 0; stream < 64; stream++) {
            streams.add(
                openRequest(
                    wire,
                    "PUT",
                    "/api/v1/repositories/public/artifacts/x",
                    "authorization: Bearer as_%08x%08x_%s".formatted(i, stream, "a".repeat(43))));
          }
          sendData(wire, streams, new byte[1], 10_000);
        });
  }

  /** Each of them once kept the buffer that it came in. */
  @Test
  void dataFramesOfFullLengthPinNoBuffers() throws Exception {
    inParallel(
        8,
        i -> {
          Http2Wire wire = stalled();
          List<Integer> streams = new ArrayList<>();
          for (int stream = 0; stream < 64; stream++) {
            streams.add(openRequest(wire, "POST", "/api/v1/repositories"));
          }
          sendData(wire, streams, new byte[16_000], 2_000);
        });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/swagger-ui/swagger-ui-bundle.js",
        "/actuator/health",
        "/v3/api-docs",
        WARM,
        ENCRYPTED,
        "/artifacts/nowhere/at/all"
      })
  void stalledStreams(String path) throws Exception {
    inParallel(32, i -> ask(stalled(), 128, path));
    Thread.sleep(2000);
  }

  /** 4 MB of fields on each connection, whose answers nobody takes. */
  @Test
  void stalledStreamsWithManyFields() throws Exception {
    String[] fields = new String[30];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = "x-%d: %s".formatted(i, "y".repeat(1000));
    }
    inParallel(
        40,
        i -> {
          Http2Wire wire = stalled();
          try {
            for (int stream = 0; stream < 128; stream++) {
              wire.get(WARM, fields);
            }
          } catch (IOException e) {
            // What was held for it was too much.
          }
        });
    Thread.sleep(1000);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/swagger-ui/swagger-ui-bundle.js", "/actuator/health", WARM, ENCRYPTED})
  void clientsThatNeverRead(String path) throws Exception {
    for (int i = 0; i < 500; i++) {
      SocketChannel channel = channel(4096);
      send(channel, "GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(path).repeat(4));
    }
    Thread.sleep(2000);
  }

  @Test
  void halfHeads() throws Exception {
    for (int i = 0; i < connections(); i++) {
      SocketChannel channel = channel(0);
      try {
        send(
            channel,
            "GET %s HTTP/1.1\r\nHost: device\r\nX-Half: %s".formatted(WARM, "x".repeat(500)));
      } catch (IOException e) {
        // One that was closed to make room.
      }
    }
  }

  /** 20,000, or as many as this process may open. */
  private static int connections() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? (int) Math.min(20_000, unix.getMaxFileDescriptorCount() - 500)
        : 20_000;
  }

  @Test
  void longHalfHeads() throws Exception {
    byte[] head =
        ("GET / HTTP/1.1\r\nHost: device\r\n"
                + "X-Long: %s\r\n".formatted("x".repeat(1000)).repeat(30))
            .getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i < 5_000; i++) {
      SocketChannel channel = channel(0);
      try {
        channel.write(ByteBuffer.wrap(head));
      } catch (IOException e) {
        // One that was closed to make room.
      }
    }
  }

  @Test
  void fieldsWithoutNumber() throws Exception {
    inParallel(
        50,
        i -> {
          try (Wire wire = new Wire(server.port())) {
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
          try (Wire wire = new Wire(server.port())) {
            wire.send(
                "GET %s HTTP/1.1\r\nHost: device\r\nCookie: %s\r\n\r\n"
                    .formatted(WARM, "a=b; ".repeat(20_000)));
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
            try (Wire wire = new Wire(server.port())) {
              wire.send(
                  "GET %s HTTP/1.1\r\nHost: device\r\nRange: %s\r\n\r\n".formatted(path, ranges));
              assertThat(wire.receive(true).status()).isIn(206, 416);
            }
          }
        });
  }

  /** CVE-2023-44487. */
  @Test
  void rapidReset() throws Exception {
    inParallel(
        8,
        i ->
            quietly(() -> {
              Http2Wire wire = stalled();
              for (int stream = 0; stream < 20_000; stream++) {
                wire.reset(wire.get(WARM));
              }
            }));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        Http2Wire.PING,
        Http2Wire.SETTINGS,
        Http2Wire.WINDOW_UPDATE,
        Http2Wire.CONTINUATION,
        PRIORITY
      })
  void controlFrames(int type) throws Exception {
    inParallel(
        8,
        i ->
            quietly(() -> {
              Http2Wire wire = stalled();
              if (type == Http2Wire.CONTINUATION) {
                wire.send(
                    Http2Wire.HEADERS,
                    0,
                    wire.nextStream(),
                    Http2Wire.headerBlock("GET", WARM, List.of()));
              }
              byte[] payload = payload(type);
              for (int frame = 0; frame < 50_000; frame++) {
                wire.send(
                    type, 0, type == Http2Wire.CONTINUATION || type == PRIORITY ? 1 : 0, payload);
              }
            }));
  }

  /** Absent paths of a public repository, of a protected one, and of none. */
  @ParameterizedTest
  @ValueSource(strings = {"public", "encrypted", "nowhere"})
  @Tag(MISSES)
  void missers(String repository) throws Exception {
    Random random = new Random(1);
    try (ClosedLoop clients =
        new ClosedLoop(
            server.port(),
            500,
            () ->
                "GET /artifacts/%s/%s HTTP/1.1\r\nHost: device\r\n\r\n"
                    .formatted(repository, Long.toHexString(random.nextLong())))) {
      Map<Integer, Integer> answers = clients.run(5);
      System.out.println("  answers by status: " + answers);
      assertThat(answers).isNotEmpty();
      assertThat(answers.keySet()).isSubsetOf(401, 404, 503);
    }
  }

  /** Clients that shake hands and go, and those that shake half a hand. */
  @Test
  @Tag(TLS)
  void handshakes() throws Exception {
    byte[] halfHello = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3};
    inParallel(
        16,
        i -> {
          for (int n = 0; n < 60; n++) {
            try (SSLSocket socket = securedSocket(0)) {
              socket.startHandshake();
            }
            SocketChannel half = channel(secured.port(), 0);
            half.write(ByteBuffer.wrap(halfHello));
          }
        });
  }

  /** Each keeps a record that it has not taken. */
  @ParameterizedTest
  @Tag(TLS)
  @ValueSource(strings = {"/swagger-ui/swagger-ui-bundle.js", "/actuator/health", WARM, ENCRYPTED})
  void clientsOfTlsThatNeverRead(String path) throws Exception {
    inParallel(
        400,
        i ->
            quietly(() -> {
              SSLSocket socket = securedSocket(4096);
              synchronized (open) {
                open.add(socket);
              }
              socket
                  .getOutputStream()
                  .write(
                      "GET %s HTTP/1.1\r\nHost: device\r\n\r\n"
                          .formatted(path)
                          .getBytes(StandardCharsets.US_ASCII));
            }));
    Thread.sleep(2000);
  }

  private static SSLSocket securedSocket(int receiveBuffer) throws IOException {
    SSLSocket socket = (SSLSocket) trust.getSocketFactory().createSocket();
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), secured.port()));
    return socket;
  }

  private static final int PRIORITY = 2;

  private static byte[] payload(int type) {
    return switch (type) {
      case Http2Wire.PING -> new byte[8];
      case Http2Wire.SETTINGS -> new byte[] {0, 4, 0, 0, 0, 0};
      case Http2Wire.WINDOW_UPDATE -> new byte[] {0, 0, 0, 1};
      case PRIORITY -> new byte[] {0, 0, 0, 3, 1};
      default -> new byte[] {0};
    };
  }

  private interface Attack {
    void run(int number) throws Exception;
  }

  private interface Act {
    void run() throws IOException;
  }

  /** The server may end the connection at any time. */
  private static void quietly(Act act) {
    try {
      act.run();
    } catch (IOException e) {
      // As it should.
    }
  }

  private static void inParallel(int attackers, Attack attack) throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < attackers; i++) {
        int number = i;
        all.add(
            threads.submit(() -> {
              attack.run(number);
              return null;
            }));
      }
      for (Future<?> each : all) {
        each.get();
      }
    }
  }

  /** A connection on which the server may send nothing; closed after the test. */
  private Http2Wire stalled() throws IOException {
    Http2Wire wire = Http2Wire.open(server.port(), 0);
    synchronized (open) {
      open.add(wire);
    }
    return wire;
  }

  private static void ask(Http2Wire wire, int streams, String path) {
    quietly(() -> {
      for (int i = 0; i < streams; i++) {
        wire.get(path);
      }
    });
  }

  private static int openRequest(Http2Wire wire, String method, String path, String... fields)
      throws IOException {
    int stream = wire.nextStream();
    wire.begin(method, path, List.of(fields));
    return stream;
  }

  private static void sendData(Http2Wire wire, List<Integer> streams, byte[] payload, int frames) {
    quietly(() -> {
      for (int i = 0; i < frames; i++) {
        wire.send(Http2Wire.DATA, 0, streams.get(i % streams.size()), payload);
      }
    });
  }

  /** Closed after the test. */
  private SocketChannel channel(int receiveBuffer) throws IOException {
    return channel(server.port(), receiveBuffer);
  }

  private SocketChannel channel(int port, int receiveBuffer) throws IOException {
    SocketChannel channel = SocketChannel.open();
    if (receiveBuffer > 0) {
      channel.socket().setReceiveBufferSize(receiveBuffer);
    }
    channel.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    synchronized (open) {
      open.add(channel);
    }
    return channel;
  }

  private static void send(SocketChannel channel, String text) throws IOException {
    channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)));
  }
}
