package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * Many devices download from a repository with a limit, as fast as they are given the bytes, while
 * a client of a repository without one asks for ranges at a set rate.
 *
 * @param readers devices with one connection each
 */
record PacedReaders(int readers) implements Scenario {
  static final String NAME = "paced";

  /** How far what all readers got is from the limit, in percent. */
  static final String OFF_LIMIT = "% off the limit";

  /** What the reader with most got, by what the one with least got. */
  static final String INEQUALITY = "most / least of a reader";

  /** The limit, in bytes per second. */
  static final long LIMIT = 20_000_000;

  /** What the sockets' buffers and the limit's first second hold has been read by then. */
  private static final Duration SETTLING = Duration.ofSeconds(10);

  /** A reader's share of the limit comes in pieces: a few seconds say little of it. */
  private static final Duration LEAST = Duration.ofSeconds(20);

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String description() {
    return "%,d readers share a repository's limit of %d MB/s; latency of ranges of another repository beside them"
        .formatted(readers, LIMIT / 1_000_000);
  }

  @Override
  public Metric primary() {
    return Metric.P99;
  }

  @Override
  public Door door() {
    return Door.PACED;
  }

  @Override
  public boolean warmsUp() {
    return false;
  }

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    // Loop 0 has the client beside them, loop 1 the readers.
    try (Client client = Client.start(settings, probe, 2)) {
      EventLoop loop = client.loop(1);
      List<Connection> connections =
          SlowReaders.connect(client, loop, target, readers, settings, _ -> {});
      Target beside = new Target(target.uri().resolve(OurServer.OPEN_PATH), "");
      SlowReaders.askBeside(client.loop(0), beside, settings);
      client.sleep(SETTLING);
      Window window = client.open();
      long[] before = SlowReaders.totals(loop, connections);
      long since = System.nanoTime();
      client.sleep(settings.duration().compareTo(LEAST) > 0 ? settings.duration() : LEAST);
      long[] after = SlowReaders.totals(loop, connections);
      double seconds = (System.nanoTime() - since) / 1e9;
      long sum = 0;
      long most = 0;
      long least = Long.MAX_VALUE;
      for (int i = 0; i < readers; i++) {
        long received = after[i] - before[i];
        sum += received;
        most = Math.max(most, received);
        least = Math.min(least, received);
      }
      Round round = window.close(client.total(), Map.of());
      double growth = round.anonymousBytes() - round.anonymousBytesBefore();
      return round.and(
          Map.of(
              OFF_LIMIT,
              100 * Math.abs(sum / seconds / LIMIT - 1),
              INEQUALITY,
              (double) most / Math.max(1, least),
              SlowReaders.MEMORY,
              growth / 1000 / readers));
    }
  }
}
