package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.isSoWithin;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Attacks by one machine, each bounded in time and size. While an attack goes on, an honest device
 * and an admin are answered; afterwards they are as well, and the server holds what it held before.
 * Their reports are printed. With {@code -Dattack.thresholds=true}, on a quiet machine, they are
 * judged, and each attack is repeated for ten seconds, so that there is enough of it to speak of a
 * percentile.
 *
 * <p>Attackers, devices and servers share the cores of one machine. So devices also ask a server
 * that nobody attacks: what they wait for it is the machine's doing, and may come on top.
 */
@ParameterizedClass(name = "{0}")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class Siege {
  static final String WARM = "/artifacts/public/warm.bin";
  static final String PRIVATE = "/artifacts/private/warm.bin";
  static final String ENCRYPTED = "/artifacts/encrypted/warm.bin";

  /** Clients that only ask, as fast as they can: they may cost others what as many downloads do. */
  static final String REQUESTS = "requests";

  /** The launcher's, on the smallest machine that has room for all defaults. */
  private static final String HEAP = "-Xmx512m";

  /** In MB; a fifth of the launcher's, so that a fifth of the clients is enough to use it up. */
  private static final int DIRECT_MEMORY = 24;

  private static final int LENGTH = 2_000_000;
  private static final int WARMUP_ROUNDS = 10;
  private static final Duration RETURN = Duration.ofMinutes(1);
  private static final double MAX_P99_MILLIS = 50;
  private static final double MAX_NEWCOMER_MILLIS = 1000;
  private static final double MAX_CALL_MILLIS = 1000;
  private static final boolean HAS_THRESHOLDS = Boolean.getBoolean("attack.thresholds");

  private static final long SUSTAINED_NANOS = HAS_THRESHOLDS ? 10_000_000_000L : 0;

  @RegisterExtension static final InvocationInterceptor SUSTAINED = new Sustained();

  @TempDir private static Path folder;

  @Parameter Transport transport;

  private final List<AutoCloseable> open = new ArrayList<>();
  private Endpoint server;
  private @Nullable Endpoint idle;
  private Operator operator;
  private Witness witness;
  private @Nullable Witness control;
  private Footprint before;

  @BeforeParameterizedClassInvocation
  void prepare() throws Exception {
    server =
        Endpoint.start(
            transport,
            folder.resolve(transport.name()),
            HAS_THRESHOLDS ? PackagedServer.COMPILED_WELL : PackagedServer.CIPHERS_COMPILED_WELL,
            HEAP,
            "-XX:MaxDirectMemorySize=" + DIRECT_MEMORY + "m");
    byte[] content = Bytes.random(LENGTH, 3);
    if (HAS_THRESHOLDS) {
      idle = Endpoint.start(transport, folder.resolve("idle-" + transport));
      try (Operator its = idle.operator()) {
        its.createRepository("public", true);
        assertThat(its.put("public", "warm.bin", content).statusCode()).isEqualTo(201);
      }
    }
    operator = server.operator();
    operator.createRepository("public", true);
    operator.createRepository("private", false);
    operator.createEncryptedRepository("encrypted");
    assertThat(operator.put("public", "warm.bin", content).statusCode()).isEqualTo(201);
    assertThat(operator.put("private", "warm.bin", content).statusCode()).isEqualTo(201);
    assertThat(operator.put("encrypted", "warm.bin", content).statusCode()).isEqualTo(201);
    // Everything that is made once is made before anything is measured.
    Witness warmup = Witness.start(this::device, WARM, server.operatorToken());
    assertThat(operator.downloadAsNobody("/swagger-ui/swagger-ui-bundle.js").statusCode())
        .isEqualTo(200);
    assertThat(operator.downloadAsNobody(ENCRYPTED).statusCode()).isEqualTo(200);
    warmup.awaitRounds(WARMUP_ROUNDS);
    warmup.stop();
  }

  @AfterParameterizedClassInvocation
  void stop() {
    operator.close();
    server.close();
    if (idle != null) {
      idle.close();
    }
  }

  @BeforeEach
  void watch() throws Exception {
    before = Footprint.of(server.server(), operator);
    witness = Witness.start(this::device, WARM, server.operatorToken());
    if (idle != null) {
      control = Witness.start(idle::open, WARM, idle.operatorToken());
    }
  }

  @AfterEach
  void judge(TestInfo test) throws Exception {
    Witness.Report during = witness.stop();
    letGo();
    assertThat(server.server().process().isAlive()).isTrue();
    Witness.Report afterwards = Witness.glance(this::device, WARM, server.operatorToken());
    AtomicReference<Footprint> after = new AtomicReference<>(before);
    boolean isBack =
        isSoWithin(
            RETURN,
            () -> {
              after.set(Footprint.of(server.server(), operator));
              return after.get().isLike(before);
            });
    System.out.printf(
        "%s, %s%n  during %s%n  after %s%n  %s%n  %s%n",
        transport, test.getDisplayName(), during, afterwards, before, after);
    assertThat(isBack).as("%s after %s", after, before).isTrue();
    if (control != null) {
      Witness.Report idleMeanwhile = control.stop();
      System.out.println("  an idle server meanwhile " + idleMeanwhile);
      judge(during, test.getTags().contains(REQUESTS) ? besideDownloads() : idleMeanwhile);
      judge(afterwards, idleMeanwhile);
    }
  }

  private Witness.Report besideDownloads() throws Exception {
    Witness beside = Witness.start(this::device, WARM, server.operatorToken());
    downloads();
    letGo();
    Witness.Report report = beside.stop();
    System.out.println("  beside as many downloads " + report);
    return report;
  }

  /** For some seconds, by as many clients as those of the attacks that are {@link #REQUESTS}. */
  void downloads() throws Exception {
    throw new IllegalStateException("No attack of this class is tagged so");
  }

  private static void judge(Witness.Report seen, Witness.Report otherwise) {
    assertThat(seen.p99()).as("p99").isLessThanOrEqualTo(otherwise.p99() + MAX_P99_MILLIS);
    assertThat(seen.worstNewcomer())
        .as("newcomer")
        .isLessThanOrEqualTo(otherwise.worstNewcomer() + MAX_NEWCOMER_MILLIS);
    assertThat(seen.worstCall())
        .as("call of an admin")
        .isLessThanOrEqualTo(otherwise.worstCall() + MAX_CALL_MILLIS);
  }

  /** How long an admin had to wait, in milliseconds. */
  static void judgeCall(double millis) {
    if (HAS_THRESHOLDS) {
      assertThat(millis).as("call of an admin").isLessThanOrEqualTo(MAX_CALL_MILLIS);
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
        Siege test = (Siege) context.getTarget().orElseThrow();
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

  interface Attack {
    void run(int number) throws Exception;
  }

  interface Act {
    void run() throws IOException;
  }

  /** The server may end the connection at any time. */
  static void quietly(Act act) {
    try {
      act.run();
    } catch (IOException e) {
      // As it should.
    }
  }

  /** Where nothing is asserted about others' time, a quarter of an attack shows what it breaks. */
  static int enough(int wanted) {
    return HAS_THRESHOLDS ? wanted : wanted / 4;
  }

  static void inParallel(int attackers, Attack attack) throws Exception {
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

  /** A device has another address than the machine that attacks. */
  private Wire device() throws IOException {
    return server.open(InetAddress.ofLiteral("127.0.0.2"));
  }

  Endpoint server() {
    return server;
  }

  Operator operator() {
    return operator;
  }

  /** Closes it after the test. */
  <T extends AutoCloseable> T keep(T connection) {
    synchronized (open) {
      open.add(connection);
    }
    return connection;
  }

  /**
   * A connection, with TLS if the transport has it; closed after the test, without a word to the
   * server and without waiting for one.
   */
  Socket connection(int receiveBuffer) throws IOException {
    return server.secured(keep(server.connect(receiveBuffer)));
  }

  static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }
}
