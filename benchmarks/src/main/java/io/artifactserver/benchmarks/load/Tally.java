package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Latency;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * Counters of a client's connections. Thread-safe. Latencies are kept in nanoseconds, up to ten
 * minutes, to three digits.
 */
final class Tally {
  private static final long LONGEST_NANOS = 600_000_000_000L;

  private final Histogram latency = new Histogram(1_000, LONGEST_NANOS, 3);
  private final Map<String, Long> failures = new TreeMap<>();
  private long requests;
  private long bodyBytes;
  private String firstFailure = "";

  /**
   * The counts.
   *
   * @param failures by kind
   * @param firstFailure empty if there was none
   */
  record Total(
      long requests,
      long bodyBytes,
      Map<String, Long> failures,
      String firstFailure,
      Latency latency) {
    Total {
      failures = Map.copyOf(failures);
    }

    /** With what failed elsewhere. */
    Total withFailuresOf(Total other) {
      Map<String, Long> all = new TreeMap<>(failures);
      other.failures.forEach((kind, count) -> all.merge(kind, count, Long::sum));
      return new Total(
          requests,
          bodyBytes,
          all,
          firstFailure.isEmpty() ? other.firstFailure : firstFailure,
          latency);
    }
  }

  synchronized void completed(long nanos) {
    requests++;
    latency.recordValue(Math.clamp(nanos, 1, LONGEST_NANOS));
  }

  synchronized void received(long bytes) {
    bodyBytes += bytes;
  }

  synchronized void failed(RequestFailedException failure) {
    failures.merge(failure.kind(), 1L, Long::sum);
    if (firstFailure.isEmpty()) {
      firstFailure = String.valueOf(failure.getMessage());
    }
  }

  synchronized void reset() {
    latency.reset();
    failures.clear();
    requests = 0;
    bodyBytes = 0;
    firstFailure = "";
  }

  synchronized Total total() {
    return new Total(
        requests,
        bodyBytes,
        failures,
        firstFailure,
        requests == 0
            ? Latency.NONE
            : new Latency(
                latency.getMean() / 1e6,
                millis(50),
                millis(90),
                millis(95),
                millis(99),
                millis(99.9),
                latency.getMaxValue() / 1e6));
  }

  private double millis(double percentile) {
    return latency.getValueAtPercentile(percentile) / 1e6;
  }
}
