package io.artifactserver.benchmarks.load;

import com.fasterxml.jackson.annotation.JsonValue;
import io.artifactserver.benchmarks.load.LoadReport.Round;
import java.util.function.ToDoubleFunction;

/** A figure that every scenario has. */
public enum Metric {
  REQUEST_RATE("requests/s", true, round -> round.requests() / round.seconds()),
  THROUGHPUT("MB/s", true, round -> round.bodyBytes() / 1e6 / round.seconds()),
  MEAN("mean ms", false, round -> round.latency().mean()),
  P50("p50 ms", false, round -> round.latency().p50()),
  P95("p95 ms", false, round -> round.latency().p95()),
  P99("p99 ms", false, round -> round.latency().p99()),
  SERVER_CPU("server CPU s/GB", false, round -> perGigabyte(round.serverCpuSeconds(), round)),
  CLIENT_CPU("client CPU s/GB", false, round -> perGigabyte(round.clientCpuSeconds(), round)),
  MEMORY("anonymous MB", false, round -> round.anonymousBytes() / 1e6),
  MEMORY_GROWTH(
      "anonymous MB more",
      false,
      round -> (round.anonymousBytes() - round.anonymousBytesBefore()) / 1e6);

  private final String key;
  private final boolean higherIsBetter;
  private final ToDoubleFunction<Round> figure;

  Metric(String key, boolean higherIsBetter, ToDoubleFunction<Round> figure) {
    this.key = key;
    this.higherIsBetter = higherIsBetter;
    this.figure = figure;
  }

  /** Its name with its unit, as reports have it. */
  @JsonValue
  public String key() {
    return key;
  }

  /** Whether more of it is better. */
  public boolean higherIsBetter() {
    return higherIsBetter;
  }

  /** Its value in a round; 0 when nothing was transferred that it could be divided by. */
  public double of(Round round) {
    return figure.applyAsDouble(round);
  }

  private static double perGigabyte(double seconds, Round round) {
    return round.bodyBytes() == 0 ? 0 : seconds / (round.bodyBytes() / 1e9);
  }
}
