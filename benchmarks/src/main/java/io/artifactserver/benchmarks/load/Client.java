package io.artifactserver.benchmarks.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

/**
 * The connections of one round, each with a thread of its own, and their measuring. Used by the
 * thread that runs the round.
 */
final class Client implements AutoCloseable {
  private static final Duration SETTLE = Duration.ofMillis(300);
  private static final Duration LOOK = Duration.ofMillis(20);
  private static final Duration END = Duration.ofSeconds(30);

  /** Time for one answer that goes on coming. */
  private static final Duration WHOLE = Duration.ofMinutes(5);

  /** Failed requests are begun again after this. */
  private static final Duration RETRY = Duration.ofMillis(200);

  private final RoundSettings settings;
  private final ServerProbe probe;
  private final long anonymousBefore;
  private final Tally tally = new Tally();
  private final List<Connection> connections = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicReference<Optional<RuntimeException>> broken =
      new AtomicReference<>(Optional.empty());
  private volatile boolean over;

  /** A task with one connection. It may be left open, or closed and connected again. */
  @FunctionalInterface
  interface Device {
    /** Connects and asks until it is interrupted, or has all that it wanted. */
    void run(Connection connection) throws RequestFailedException, InterruptedException;
  }

  /** Looks at the server's memory first. */
  Client(RoundSettings settings, ServerProbe probe) {
    this.settings = settings;
    this.probe = probe;
    this.anonymousBefore = probe.anonymousBytes();
  }

  /** A connection of this round, not open yet. */
  Connection connection(Target target) {
    Connection connection = new Connection(target, settings, tally);
    connections.add(connection);
    return connection;
  }

  /** Runs a device. After a failure it begins again. */
  void start(Connection connection, Device device) {
    start(Thread.ofVirtual(), connection, device, true);
  }

  /** Runs one that ends with its first failure. */
  void startOnce(Connection connection, Device device) {
    start(Thread.ofVirtual(), connection, device, false);
  }

  /** Runs one whose latency matters: the others do not delay it. */
  void startBeside(Connection connection, Device device) {
    start(Thread.ofPlatform(), connection, device, true);
  }

  private void start(Thread.Builder builder, Connection connection, Device device, boolean again) {
    threads.add(
        builder.name("client-" + threads.size()).start(() -> run(connection, device, again)));
  }

  private void run(Connection connection, Device device, boolean again) {
    try (connection) {
      boolean failed;
      do {
        failed = false;
        try {
          device.run(connection);
        } catch (RequestFailedException e) {
          failed = true;
          if (!over) {
            tally.failed(e);
            Thread.sleep(RETRY);
          }
        }
      } while (failed && again && !over);
    } catch (InterruptedException e) {
      // The round is over.
    } catch (RuntimeException e) {
      broken.compareAndSet(Optional.empty(), Optional.of(e));
    }
  }

  /**
   * Waits, looking often whether a connection stalls.
   *
   * @return whether the condition came true in time
   * @throws WrongBytesException if a server sent wrong bytes
   */
  boolean await(Duration limit, BooleanSupplier condition) {
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      look();
      if (condition.getAsBoolean()) {
        return true;
      }
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      try {
        Thread.sleep(Duration.ofNanos(Math.min(left, LOOK.toNanos())));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted", e);
      }
    }
  }

  /** Ends what stalls; throws if a server sent wrong bytes. */
  void look() {
    if (broken.get().isPresent()) {
      throw broken.get().get();
    }
    connections.forEach(connection -> connection.endIfStalled(settings.stall().toNanos()));
  }

  /** Waits that long. */
  void sleep(Duration duration) {
    await(duration, () -> false);
  }

  /** Forgets what was counted so far and begins the measured time. */
  Window open() {
    sleep(SETTLE);
    tally.reset();
    return new Window(settings, probe, anonymousBefore);
  }

  /** Asks once, and waits for the answer; returns one request or one failure. */
  Tally.Total once(Target target, Request request) {
    startOnce(
        connection(target),
        connection -> {
          connection.connect();
          connection.get(request, System.nanoTime());
        });
    await(WHOLE, () -> !threads.getFirst().isAlive());
    return total();
  }

  /** Everything counted since the window was opened. */
  Tally.Total total() {
    look();
    return tally.total();
  }

  /** Drops all connections and ends the threads. */
  @Override
  public void close() {
    over = true;
    threads.forEach(Thread::interrupt);
    try {
      for (Thread thread : threads) {
        thread.join(END);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
