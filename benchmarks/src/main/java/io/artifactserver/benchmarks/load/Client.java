package io.artifactserver.benchmarks.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** The loops of one round, and its measuring. Used by the thread that runs the round. */
final class Client implements AutoCloseable {
  private static final Duration SETTLE = Duration.ofMillis(300);

  private final List<EventLoop> loops = new ArrayList<>();
  private final RoundSettings settings;
  private final ServerProbe probe;
  private final long anonymousBefore;

  private Client(RoundSettings settings, ServerProbe probe) {
    this.settings = settings;
    this.probe = probe;
    this.anonymousBefore = probe.anonymousBytes();
  }

  /** Looks at the server's memory and starts the loops. */
  static Client start(RoundSettings settings, ServerProbe probe, int threads) {
    Client client = new Client(settings, probe);
    for (int i = 0; i < threads; i++) {
      client.loops.add(EventLoop.start("client-" + i, settings.content(), settings.stall()));
    }
    return client;
  }

  /** The loop of a connection. */
  EventLoop loop(int connection) {
    return loops.get(connection % loops.size());
  }

  /**
   * Waits, looking often whether a loop broke down.
   *
   * @return whether the condition came true in time
   */
  boolean await(Duration limit, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      loops.forEach(EventLoop::check);
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        Thread.sleep(Duration.ofNanos(Math.min(left, 20_000_000)));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted", e);
      }
    }
    return true;
  }

  /** Waits that long. */
  void sleep(Duration duration) {
    await(duration, () -> false);
  }

  /** Forgets what was counted so far and begins the measured time. */
  Window open() {
    sleep(SETTLE);
    loops.forEach(loop -> loop.run(loop.tally()::reset));
    return Window.open(settings, probe, anonymousBefore);
  }

  /** Everything counted by the loops since the window was opened. */
  Tally total() {
    Tally total = new Tally();
    loops.forEach(loop -> loop.run(() -> total.add(loop.tally())));
    return total;
  }

  @Override
  public void close() {
    loops.forEach(EventLoop::close);
  }
}
