package io.artifactserver.benchmarks.load;

import java.util.List;

/** What the project wants to reach, as ratios within one run wherever that is possible. */
final class Goals {
  private static final String NGINX = "best nginx";
  private static final String APACHE = "apache";
  private static final String CADDY = "caddy";

  /**
   * One of them.
   *
   * @param reference the peer, or empty for an absolute figure
   * @param atLeast whether the bound is a lower one
   * @param others each would do as well
   */
  record Wanted(
      String metric, String reference, boolean atLeast, double bound, List<Wanted> others) {
    Wanted(String metric, String reference, boolean atLeast, double bound) {
      this(metric, reference, atLeast, bound, List.of());
    }

    Wanted or(Wanted other) {
      return new Wanted(metric, reference, atLeast, bound, List.of(other));
    }
  }

  private Goals() {}

  /** Those of a scenario for one of our servers. */
  static List<Wanted> of(String scenario, String server, boolean tls) {
    if (tls) {
      return server.equals(OurServer.PLAIN) ? throughTls(scenario) : List.of();
    }
    return switch (server) {
      case OurServer.PLAIN -> plain(scenario);
      case OurServer.ENCRYPTED -> encrypted(scenario);
      default -> List.of();
    };
  }

  private static List<Wanted> throughTls(String scenario) {
    return switch (scenario) {
      case Scenarios.RANGES_128, Scenarios.HTTP2_RANGES_128 ->
          List.of(atLeast(Metric.REQUEST_RATE, NGINX, 0.95));
      case FreshConnections.FULL -> List.of(atMost(Metric.REQUEST_CPU, NGINX, 1.5));
      case FreshConnections.RESUMED -> List.of(atMost(Metric.REQUEST_CPU, NGINX, 2.5));
      default -> List.of();
    };
  }

  private static List<Wanted> plain(String scenario) {
    return switch (scenario) {
      case "range80" -> List.of(atMost(Metric.MEAN, NGINX, 1.15));
      case Scenarios.RANGES_128 ->
          List.of(
              atLeast(Metric.REQUEST_RATE, NGINX, 0.90),
              atLeast(Metric.REQUEST_RATE, CADDY, 1.9),
              atMost(Metric.SERVER_CPU, NGINX, 1.7));
      case "rauc" -> List.of(atLeast(Metric.REQUEST_RATE, NGINX, 0.95));
      case "small" -> List.of(atLeast(Metric.REQUEST_RATE, NGINX, 0.90));
      case FreshConnections.ONE_MEBIBYTE -> List.of(atLeast(Metric.REQUEST_RATE, NGINX, 0.85));
      case "full" -> List.of(atLeast(Metric.THROUGHPUT, NGINX, 1.0));
      case "h2-50" ->
          List.of(atLeast(Metric.THROUGHPUT, APACHE, 1.3), atLeast(Metric.THROUGHPUT, CADDY, 2.0));
      case "h2-100" -> List.of(atMost(Metric.MEMORY_GROWTH, "", 150));
      case "slow" -> slow();
      case PacedReaders.NAME ->
          List.of(
              new Wanted(PacedReaders.OFF_LIMIT, "", false, 3),
              new Wanted(PacedReaders.INEQUALITY, "", false, 1.3),
              new Wanted(SlowReaders.MEMORY, "", false, 30),
              atMost(Metric.P99, "", 20));
      case ChunkLoad.NAME ->
          List.of(
              atLeast(Metric.REQUEST_RATE, NGINX, 0.8),
              // 20,000 in 20 s.
              atLeast(Metric.REQUEST_RATE, "", 1_000),
              new Wanted(ChunkLoad.RANGES_P99, "", false, 20));
      case "idle" -> List.of(atMost(Metric.MEMORY_GROWTH, "", 200));
      default -> List.of();
    };
  }

  private static List<Wanted> encrypted(String scenario) {
    return switch (scenario) {
      case Scenarios.RANGES_128 -> List.of(atLeast(Metric.REQUEST_RATE, NGINX, 0.6));
      case "slow" -> slow();
      default -> List.of();
    };
  }

  private static List<Wanted> slow() {
    return List.of(
        new Wanted(SlowReaders.STARVED, "", false, 0),
        new Wanted(SlowReaders.MEMORY, "", false, 30),
        atMost(Metric.P99, "", 20).or(atMost(Metric.P99, NGINX, 4)));
  }

  private static Wanted atLeast(Metric metric, String reference, double bound) {
    return new Wanted(metric.key(), reference, true, bound);
  }

  private static Wanted atMost(Metric metric, String reference, double bound) {
    return new Wanted(metric.key(), reference, false, bound);
  }
}
