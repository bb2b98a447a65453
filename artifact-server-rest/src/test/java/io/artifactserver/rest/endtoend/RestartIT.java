package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Pacing.pause;
import static io.artifactserver.core.waiting.Throughout.throughout;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;

/**
 * The server stops or dies, and starts again, while devices install from it as RAUC does: each
 * range is tried once and five times more, a second apart, and then the installation has failed.
 *
 * <p>How often, how many devices, and how many threads that keep the machine busy: the properties
 * {@code restart.times}, {@code restart.readers} and {@code restart.loops}.
 */
@InTurn(5)
class RestartIT {
  private static final int TIMES = Integer.getInteger("restart.times", 2);
  private static final int READERS = Integer.getInteger("restart.readers", 4);
  private static final int LOOPS = Integer.getInteger("restart.loops", 0);

  private static final int LENGTH = 20_000_000;
  private static final int RANGE = 128 * 1024;
  private static final int TRIES = 6;

  /** A port that is closed for half a second refuses one try of a range, or two at worst. */
  private static final int MAX_REFUSED = 2;

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final byte[] CONTENT = Bytes.random(LENGTH, 45);

  @TempDir private Path folder;

  private volatile boolean isOver;
  private final AtomicInteger ranges = new AtomicInteger();
  private final List<Future<?>> devices = new ArrayList<>();

  @ParameterizedTest
  @Transports(value = Transport.HTTP1, nightly = Transport.H2)
  void noDeviceGivesUp(Transport transport) throws Exception {
    try (Endpoint endpoint = Endpoint.start(transport, folder, PackagedServer.EARLY_PORT);
        ExecutorService threads = Executors.newCachedThreadPool()) {
      publish(endpoint);
      try {
        for (int i = 0; i < LOOPS; i++) {
          threads.execute(this::loop);
        }
        install(endpoint, threads);
        for (int i = 0; i < TIMES; i++) {
          awaitRanges();
          if (i % 2 == 0) {
            endpoint.server().stop();
          } else {
            endpoint.server().kill();
          }
          endpoint.server().restart();
        }
        awaitRanges();
        awaitEnd();
      } finally {
        isOver = true;
      }
    }
  }

  /** However long it takes. Here another one has the installation for longer than all tries. */
  @Test
  @Nightly("A start that is short has the same port; this one takes half a minute.")
  void noDeviceGivesUpWhileStartIsHeldBack() throws Exception {
    try (PackagedServer database = PackagedServer.start(folder.resolve("database"));
        ExecutorService threads = Executors.newCachedThreadPool()) {
      String[] settings = DurabilityIT.newDatabase(database.dataFolder(), "slow");
      List<String> arguments = new ArrayList<>(List.of(settings));
      arguments.add(PackagedServer.EARLY_PORT);
      try (Endpoint endpoint =
              Endpoint.start(Transport.HTTP1, folder, arguments.toArray(String[]::new));
          Connection other = DurabilityIT.connect(database.dataFolder(), "slow")) {
        PackagedServer server = endpoint.server();
        publish(endpoint);
        String lock = lockOfInstallation(other);
        Future<?> held = threads.submit(() -> execute(other, lock));
        install(endpoint, threads);
        awaitRanges();
        server.stop();
        held.get();
        Future<?> restart = threads.submit(() -> restart(server));
        eventually("it says so", () -> server.log().contains("Waiting: "));
        throughout(PAUSE.multipliedBy(TRIES + 2), () -> assertThat(restart.isDone()).isFalse());
        execute(other, "select pg_advisory_unlock_all()");
        restart.get();
        awaitRanges();
        awaitEnd();
      } finally {
        isOver = true;
      }
    }
  }

  /** The server must not listen where it was told not to. */
  @Test
  void socketOnOtherAddressesEndsTheStart() throws Exception {
    try (PackagedServer server =
        PackagedServer.startWithoutWaiting(
            folder.resolve("data"), PackagedServer.EARLY_PORT, "--server.address=127.0.0.1")) {
      assertThat(server.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(server.process().exitValue()).isEqualTo(1);
      assertThat(server.log()).contains("server.address is 127.0.0.1");
    }
  }

  private static void publish(Endpoint endpoint) throws Exception {
    try (Operator operator = endpoint.operator()) {
      operator.createRepository("public", true);
      assertThat(operator.put("public", "bundle", CONTENT).statusCode()).isEqualTo(201);
    }
  }

  private static @Nullable Void restart(PackagedServer server) throws Exception {
    server.restart();
    return null;
  }

  /** A statement that waits until the server has given its lock back, and takes it. */
  private static String lockOfInstallation(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet lock =
            statement.executeQuery(
                "select classid::bigint << 32 | objid::bigint from pg_locks"
                    + " where locktype = 'advisory' and granted")) {
      assertThat(lock.next()).isTrue();
      return "select pg_advisory_lock(%d)".formatted(lock.getLong(1));
    }
  }

  private static boolean execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.execute(sql);
    }
  }

  private void install(Endpoint endpoint, ExecutorService threads) {
    for (int i = 0; i < READERS; i++) {
      Device device = new Device(endpoint, i);
      devices.add(threads.submit(device::install));
    }
  }

  private void awaitRanges() throws Exception {
    int expected = ranges.get() + READERS * 50;
    eventually(
        "the devices get on",
        () -> ranges.get() >= expected || devices.stream().anyMatch(Future::isDone));
    for (Future<?> each : devices) {
      if (each.isDone()) {
        each.get();
      }
    }
  }

  private void awaitEnd() throws Exception {
    isOver = true;
    for (Future<?> each : devices) {
      each.get();
    }
  }

  private void loop() {
    while (!isOver) {
      Thread.onSpinWait();
    }
  }

  /** Installs again and again, from ranges in any order. */
  private final class Device {
    private final Endpoint endpoint;
    private final Random random;
    private @Nullable Wire wire;

    private Device(Endpoint endpoint, int seed) {
      this.endpoint = endpoint;
      this.random = new Random(seed);
    }

    private @Nullable Void install() throws Exception {
      while (!isOver) {
        read(random.nextInt(LENGTH - RANGE));
        ranges.incrementAndGet();
      }
      end();
      return null;
    }

    private void read(int position) throws Exception {
      List<String> failures = new ArrayList<>();
      int refused = 0;
      while (failures.size() < TRIES && refused <= MAX_REFUSED) {
        try {
          Response answer = ask(position);
          if (answer.status() == 206) {
            assertThat(answer.body())
                .isEqualTo(Arrays.copyOfRange(CONTENT, position, position + RANGE));
            if (answer.field("Connection").filter("close"::equals).isPresent()) {
              end();
            }
            return;
          }
          failures.add("status " + answer.status());
        } catch (IOException e) {
          failures.add(e.toString());
          if (e instanceof ConnectException) {
            refused++;
          }
        }
        end();
        pause(PAUSE);
      }
      throw new AssertionError("A device gave up: " + failures);
    }

    private Response ask(int position) throws IOException {
      Wire known = wire;
      if (known == null) {
        known = endpoint.open();
        wire = known;
      }
      known.send(
          "GET /artifacts/public/bundle HTTP/1.1\r\nHost: device\r\nRange: bytes=%d-%d\r\n\r\n"
              .formatted(position, position + RANGE - 1));
      return known.receive(true);
    }

    private void end() throws IOException {
      if (wire != null) {
        wire.close();
        wire = null;
      }
    }
  }
}
