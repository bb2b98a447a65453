package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.time.Duration;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Many devices download from a repository with a limit, as fast as they are given the bytes, while
 * a client of a repository without one asks for ranges at a set rate.
 *
 * @param readers devices with one connection each
 */
record PacedReaders(int readers) implements Load {
  /** How far what all readers got is from the limit, in percent. */
  static final String OFF_LIMIT = "% off the limit";

  /** Bytes of the reader with most, divided by those of the one with least. */
  static final String INEQUALITY = "most / least of a reader";

  /** The limit, in bytes per second. */
  static final long LIMIT = 20_000_000;

  /** The sockets' buffers and the limit's first second have been read by then. */
  private static final Duration SETTLING = Duration.ofSeconds(10);

  /** A reader's share of the limit comes in pieces: a few seconds say little of it. */
  private static final Duration LEAST = Duration.ofSeconds(20);

  @Override
  public Round run(Target target, ServerProbe probe, RoundSettings settings) {
    try (Client client = new Client(settings, probe)) {
      List<Connection> connections =
          SlowReaders.connect(client, target, readers, settings, UnaryOperator.identity());
      Target beside = new Target(target.uri().resolve(OurServer.OPEN_PATH), "");
      SlowReaders.askBeside(client, beside, settings);
      client.sleep(SETTLING);
      Window window = client.open();
      long[] before = SlowReaders.totals(connections);
      client.sleep(settings.duration().compareTo(LEAST) > 0 ? settings.duration() : LEAST);
      long[] after = SlowReaders.totals(connections);
      double seconds = window.seconds();
      LongSummaryStatistics received =
          IntStream.range(0, readers).mapToLong(i -> after[i] - before[i]).summaryStatistics();
      return window.close(
          client.total(),
          readers,
          Map.of(
              OFF_LIMIT,
              100 * Math.abs(received.getSum() / seconds / LIMIT - 1),
              INEQUALITY,
              (double) received.getMax() / Math.max(1, received.getMin())));
    }
  }
}
