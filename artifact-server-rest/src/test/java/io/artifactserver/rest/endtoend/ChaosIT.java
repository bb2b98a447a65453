package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Pacing.pause;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.rest.endtoend.ChaosSite.Server;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A fleet downloads while operators upload, delete, share, encrypt and revoke, and while the server
 * is stopped and killed. A model knows which bytes each path may have at each moment; an act that
 * is under way allows both states, an acknowledged one the new state alone. In the end, rows, files
 * and keys must be those of the model.
 *
 * <p>{@code -Dchaos.seconds} says how long it lasts on each server, {@code -Dchaos.seed} repeats
 * what is drawn, and {@code -Dchaos.servers} is a pattern of the servers. Without it, a build
 * visits one of the four, which is drawn as well, and the night all of them. {@code -Dchaos.up} and
 * {@code -Dchaos.pause} are the longest times that a server is up, and that an operator pauses, in
 * milliseconds: with few restarts and short pauses there are thousands of acts.
 */
@InTurn(1)
class ChaosIT {
  private static final int SECONDS = Integer.getInteger("chaos.seconds", 15);
  private static final long SEED = Long.getLong("chaos.seed", System.nanoTime());
  private static final int PUBLISHERS = 3;
  private static final int DEVICES = 8;

  /** For a thread that never ends. */
  private static final int TIMEOUT_SECONDS = 120;

  private static final int MAX_UP_MILLIS = Integer.getInteger("chaos.up", 4_000);
  private static final int MIN_UP_MILLIS = MAX_UP_MILLIS * 3 / 8;

  /** However slow the machine is. */
  private static final int MIN_ACTS = 50;

  /** A run without them proves less than it says. */
  private static final Set<String> KINDS = kinds();

  /** A thread of the chaos. */
  interface Participant extends AutoCloseable {
    /** Returns soon after the end of the chaos. */
    void run() throws Exception;

    @Override
    void close();
  }

  private enum Restart {
    STOP,
    KILL
  }

  static Stream<Server> servers() {
    List<String> all = Stream.of(Server.values()).map(Server::name).toList();
    return Drawn.from(all, "chaos.servers", SEED).map(Server::valueOf);
  }

  @ParameterizedTest
  @MethodSource("servers")
  void everyAnswerIsAllowedAndWhatWasAcknowledgedHolds(Server server, @TempDir Path folder)
      throws Exception {
    String run = "%s, -Dchaos.seed=%d -Dchaos.seconds=%d".formatted(server, SEED, SECONDS);
    SplittableRandom random = new SplittableRandom(SEED);
    ChaosModel model = new ChaosModel(random.split());
    ChaosReport report = new ChaosReport();
    try (ChaosSite site = ChaosSite.start(folder, server)) {
      runAll(site, model, report, random, server.isEncrypted());
      report.requireNone(run);
      try (PackagedServer successor = site.succeed();
          Operator operator = new Operator(successor)) {
        new ChaosAccounts(successor, operator, model, site.bucket()).require();
      }
    } catch (AssertionError | Exception e) {
      report.fail(e);
      throw e;
    } finally {
      System.out.printf("ChaosIT: %s: %s%n", run, report);
    }
  }

  /** Runs all participants, and restarts the server beneath them. */
  private static void runAll(
      ChaosSite site,
      ChaosModel model,
      ChaosReport report,
      SplittableRandom random,
      boolean isEncrypted)
      throws Exception {
    List<Participant> participants = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<?>> running = new ArrayList<>();
      try {
        ChaosAdmin admin = new ChaosAdmin(model, site, report, random.split());
        participants.add(admin);
        admin.prepare(isEncrypted);
        for (int i = 0; i < PUBLISHERS; i++) {
          participants.add(new ChaosPublisher(i, model, site, report, random.split()));
        }
        for (int i = 0; i < DEVICES; i++) {
          participants.add(new ChaosDevice(i, model, site, report, random.split()));
        }
        for (Participant participant : participants) {
          running.add(threads.submit(() -> run(participant, report)));
        }
        restart(site, report, random.split());
      } finally {
        model.end();
        try {
          for (Future<?> each : running) {
            each.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
          }
        } finally {
          threads.shutdownNow();
          participants.forEach(Participant::close);
        }
      }
    }
  }

  private static void run(Participant participant, ChaosReport report) {
    try {
      participant.run();
    } catch (AssertionError | Exception e) {
      report.fail(e);
    }
  }

  /** Restarts the server until the time is over and everything has happened that may happen. */
  private static void restart(ChaosSite site, ChaosReport report, SplittableRandom random)
      throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    boolean isKilled = random.nextBoolean();
    while (report.isClean()) {
      long acts = report.acts() + MIN_ACTS;
      pause(Duration.ofMillis(random.nextInt(MIN_UP_MILLIS, MAX_UP_MILLIS)));
      eventually("the operators get on", () -> report.acts() >= acts || !report.isClean());
      if (System.nanoTime() - end >= 0 && report.kinds().containsAll(KINDS)) {
        return;
      }
      report.act(isKilled ? Restart.KILL : Restart.STOP);
      site.restart(isKilled);
      // In turn at first, so that a short run has both.
      isKilled ^= !report.kinds().containsAll(KINDS) || random.nextBoolean();
    }
  }

  private static Set<String> kinds() {
    Set<String> kinds = new TreeSet<>(List.of("200", "206", "304", "404", "410", "resumed", "cut"));
    Stream.of(Restart.values(), ChaosPublisher.Act.values(), ChaosAdmin.Act.values())
        .flatMap(Stream::of)
        .forEach(act -> kinds.add(act.name()));
    return kinds;
  }
}
