package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Latency;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What one thread counts. Not thread-safe: others read it after its thread has handed it over.
 * Latencies are kept in nanoseconds, up to ten minutes, to three digits.
 */
final class Tally {
  private static final long LONGEST_NANOS = 600_000_000_000L;

  private final Histogram latency = new Histogram(1_000, LONGEST_NANOS, 3);
  private final Map<String, Long> failures = new TreeMap<>();
  private long requests;
  private long bodyBytes;
  private String firstFailure = "";

  void completed(long nanos) {
    requests++;
    latency.recordValue(Math.clamp(nanos, 1, LONGEST_NANOS));
  }

  void received(long bytes) {
    bodyBytes += bytes;
  }

  void failed(Failure failure) {
    failures.merge(failure.kind(), 1L, Long::sum);
    if (firstFailure.isEmpty()) {
      firstFailure = failure.message();
    }
  }

  void reset() {
    latency.reset();
    failures.clear();
    requests = 0;
    bodyBytes = 0;
    firstFailure = "";
  }

  void add(Tally other) {
    latency.add(other.latency);
    other.failures.forEach((kind, count) -> failures.merge(kind, count, Long::sum));
    requests += other.requests;
    bodyBytes += other.bodyBytes;
    if (firstFailure.isEmpty()) {
      firstFailure = other.firstFailure;
    }
  }

  long requests() {
    return requests;
  }

  long bodyBytes() {
    return bodyBytes;
  }

  Map<String, Long> failures() {
    return Map.copyOf(failures);
  }

  /** Of the first failure; empty if there was none. */
  String firstFailure() {
    return firstFailure;
  }

  Latency latency() {
    if (latency.getTotalCount() == 0) {
      return new Latency(0, 0, 0, 0, 0, 0, 0);
    }
    return new Latency(
        latency.getMean() / 1e6,
        millis(50),
        millis(90),
        millis(95),
        millis(99),
        millis(99.9),
        latency.getMaxValue() / 1e6);
  }

  private double millis(double percentile) {
    return latency.getValueAtPercentile(percentile) / 1e6;
  }
}
