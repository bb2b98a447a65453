package io.artifactserver.benchmarks.load;

import com.fasterxml.jackson.annotation.JsonValue;
import io.artifactserver.benchmarks.load.LoadReport.Round;

/** A figure that every scenario has. */
public enum Metric {
  REQUEST_RATE("requests/s", true),
  THROUGHPUT("MB/s", true),
  MEAN("mean ms", false),
  P50("p50 ms", false),
  P95("p95 ms", false),
  P99("p99 ms", false),
  SERVER_CPU("server CPU s/GB", false),
  REQUEST_CPU("server CPU ms/request", false),
  CLIENT_CPU("client CPU s/GB", false),
  DISTURBANCE("others' CPU %", false),
  MEMORY("anonymous MB", false),
  MEMORY_GROWTH("anonymous MB more", false);

  private final String key;
  private final boolean higherIsBetter;

  Metric(String key, boolean higherIsBetter) {
    this.key = key;
    this.higherIsBetter = higherIsBetter;
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
    return switch (this) {
      case REQUEST_RATE -> round.requests() / round.seconds();
      case THROUGHPUT -> round.bodyBytes() / 1e6 / round.seconds();
      case MEAN -> round.latency().mean();
      case P50 -> round.latency().p50();
      case P95 -> round.latency().p95();
      case P99 -> round.latency().p99();
      case SERVER_CPU -> perGigabyte(round.serverCpuSeconds(), round);
      case REQUEST_CPU ->
          round.requests() == 0 ? 0 : 1000 * round.serverCpuSeconds() / round.requests();
      case CLIENT_CPU -> perGigabyte(round.clientCpuSeconds(), round);
      case DISTURBANCE -> 100 * round.disturbance();
      case MEMORY -> round.anonymousBytes() / 1e6;
      case MEMORY_GROWTH -> round.anonymousBytesMore() / 1e6;
    };
  }

  private static double perGigabyte(double seconds, Round round) {
    return round.bodyBytes() == 0 ? 0 : seconds / (round.bodyBytes() / 1e9);
  }
}
