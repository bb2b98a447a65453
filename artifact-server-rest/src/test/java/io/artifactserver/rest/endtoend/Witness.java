package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Honest clients beside an attack: a device asks for ranges of a warm artifact on a connection that
 * it has, and again and again opens new ones, for the artifact and for the server's health; an
 * admin calls the API. Fails if one of them is not answered, or wrongly. Used by one thread; asks
 * from three of its own.
 */
final class Witness {
  private static final int RANGE_LENGTH = 4096;
  private static final int PAUSE_MILLIS = 5;
  private static final int LONG_PAUSE_MILLIS = 100;
  private static final int GLANCE = 200;
  private static final int CALLS_OF_GLANCE = 10;

  private final CountDownLatch over = new CountDownLatch(1);
  private final List<Double> ranges = Collections.synchronizedList(new ArrayList<>());
  private final List<Double> newcomers = Collections.synchronizedList(new ArrayList<>());
  private final List<Double> calls = Collections.synchronizedList(new ArrayList<>());
  private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());
  private final List<Thread> threads = new ArrayList<>();
  private final Line line;
  private final String path;
  private final String adminToken;

  /** How to reach the server. */
  interface Line {
    /** A new connection. */
    Wire open() throws IOException;
  }

  private Witness(Line line, String path, String adminToken) {
    this.line = line;
    this.path = path;
    this.adminToken = adminToken;
  }

  /**
   * Asks until it is stopped.
   *
   * @param path of a public artifact of at least 4 KiB
   */
  static Witness start(Line line, String path, String adminToken) throws IOException {
    Witness witness = new Witness(line, path, adminToken);
    // Before the attack begins, as a device that is in the middle of a download.
    Wire wire = line.open();
    witness.ask(wire);
    witness.repeat(() -> witness.range(wire), PAUSE_MILLIS);
    witness.repeat(witness::arrive, LONG_PAUSE_MILLIS);
    witness.repeat(witness::administer, LONG_PAUSE_MILLIS);
    return witness;
  }

  /** Asks for a moment, and tells what it saw. */
  static Report glance(Line line, String path, String adminToken) throws IOException {
    Witness witness = new Witness(line, path, adminToken);
    witness.arrive();
    for (int i = 0; i < CALLS_OF_GLANCE; i++) {
      witness.administer();
    }
    try (Wire wire = line.open()) {
      for (int i = 0; i < GLANCE; i++) {
        witness.range(wire);
      }
    }
    return witness.report();
  }

  /** Returns when each of its clients has come so often, or one of them has failed. */
  void awaitRounds(int rounds) {
    eventually(
        rounds + " rounds",
        () ->
            !failures.isEmpty()
                || Stream.of(ranges, newcomers, calls).allMatch(all -> all.size() >= rounds));
  }

  /** Waiting times that it saw, in milliseconds. */
  record Report(double p99, double worst, double worstNewcomer, double worstCall, int answers) {
    @Override
    public String toString() {
      return "%d answers, p99 %.1f ms, worst %.1f ms; worst new connection %.1f ms; worst call of an admin %.1f ms"
          .formatted(answers, p99, worst, worstNewcomer, worstCall);
    }
  }

  /** Asks no more. */
  Report stop() throws InterruptedException {
    over.countDown();
    for (Thread thread : threads) {
      thread.join(TimeUnit.MINUTES.toMillis(1));
    }
    if (!failures.isEmpty()) {
      throw new AssertionError(
          failures.size() + " failures of " + ranges.size() + " answers", failures.getFirst());
    }
    return report();
  }

  private Report report() {
    List<Double> sorted = ranges.stream().sorted().toList();
    return new Report(
        sorted.get((int) (sorted.size() * 0.99)),
        sorted.getLast(),
        Collections.max(newcomers),
        Collections.max(calls),
        sorted.size());
  }

  private interface Step {
    void run() throws IOException;
  }

  private void repeat(Step step, long pause) {
    threads.add(
        Thread.ofPlatform()
            .start(() -> {
              try {
                do {
                  step.run();
                } while (!over.await(pause, TimeUnit.MILLISECONDS));
              } catch (IOException | AssertionError e) {
                failures.add(e);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            }));
  }

  private void range(Wire wire) throws IOException {
    long begin = System.nanoTime();
    ask(wire);
    ranges.add((System.nanoTime() - begin) / 1e6);
  }

  private void arrive() throws IOException {
    long begin = System.nanoTime();
    try (Wire wire = line.open()) {
      ask(wire);
    }
    newcomers.add((System.nanoTime() - begin) / 1e6);
    begin = System.nanoTime();
    try (Wire wire = line.open()) {
      wire.send("GET /actuator/health HTTP/1.1\r\nHost: probe\r\n\r\n");
      require(wire.receive(true), 200);
    }
    newcomers.add((System.nanoTime() - begin) / 1e6);
  }

  private void administer() throws IOException {
    long begin = System.nanoTime();
    try (Wire wire = line.open()) {
      wire.send(
          "GET /api/v1/repositories HTTP/1.1\r\nHost: admin\r\nAuthorization: Bearer %s\r\n\r\n"
              .formatted(adminToken));
      require(wire.receive(true), 200);
    }
    calls.add((System.nanoTime() - begin) / 1e6);
  }

  private void ask(Wire wire) throws IOException {
    wire.send(
        "GET %s HTTP/1.1\r\nHost: device\r\nRange: bytes=0-%d\r\n\r\n"
            .formatted(path, RANGE_LENGTH - 1));
    Response response = wire.receive(true);
    require(response, 206);
    if (response.body().length != RANGE_LENGTH) {
      throw new AssertionError(response.body().length + " bytes");
    }
  }

  private static void require(Response response, int status) {
    if (response.status() != status) {
      throw new AssertionError(response.status() + ": " + response.text());
    }
  }
}
