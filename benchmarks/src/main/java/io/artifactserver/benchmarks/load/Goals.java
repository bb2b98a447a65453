package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Goal;
import io.artifactserver.benchmarks.load.LoadReport.Ratio;
import io.artifactserver.benchmarks.load.LoadReport.ServerResult;
import java.util.List;
import java.util.Optional;

/** Aims of the project, as ratios within one run wherever that is possible. */
final class Goals {
  private static final String NGINX = "best nginx";
  private static final String CADDY = "caddy";
  private static final String APACHE = "apache";
  private static final String PLAIN = OurServer.PLAIN;
  private static final String ENCRYPTED = OurServer.ENCRYPTED;
  private static final String TLS = PLAIN + " through TLS";

  private static final List<Wanted> ALL =
      List.of(
          atMost("range80", PLAIN, Metric.MEAN.key(), NGINX, 1.15),
          atLeast("ranges128", PLAIN, Metric.REQUEST_RATE.key(), NGINX, 0.90),
          atLeast("ranges128", PLAIN, Metric.REQUEST_RATE.key(), CADDY, 1.9),
          atMost("ranges128", PLAIN, Metric.SERVER_CPU.key(), NGINX, 1.7),
          atLeast("ranges128", ENCRYPTED, Metric.REQUEST_RATE.key(), NGINX, 0.6),
          atLeast("ranges128", TLS, Metric.REQUEST_RATE.key(), NGINX, 0.95),
          atLeast("rauc", PLAIN, Metric.REQUEST_RATE.key(), NGINX, 0.95),
          atLeast("small", PLAIN, Metric.REQUEST_RATE.key(), NGINX, 0.90),
          atLeast("full", PLAIN, Metric.THROUGHPUT.key(), NGINX, 1.0),
          atLeast("h2-ranges128", TLS, Metric.REQUEST_RATE.key(), NGINX, 0.95),
          atLeast("h2-50", PLAIN, Metric.THROUGHPUT.key(), APACHE, 1.3),
          atLeast("h2-50", PLAIN, Metric.THROUGHPUT.key(), CADDY, 2.0),
          atMost("h2-100", PLAIN, Metric.MEMORY_GROWTH.key(), "", 150),
          atLeast("fresh-1m", PLAIN, Metric.REQUEST_RATE.key(), NGINX, 0.85),
          atMost("fresh-full", TLS, Metric.REQUEST_CPU.key(), NGINX, 1.5),
          atMost("fresh-resumed", TLS, Metric.REQUEST_CPU.key(), NGINX, 2.5),
          atMost("slow", PLAIN, SlowReaders.STARVED, "", 0),
          atMost("slow", PLAIN, SlowReaders.MEMORY, "", 30),
          atMost("slow", PLAIN, Metric.P99.key(), "", 20).or(NGINX, 4),
          atMost("slow", ENCRYPTED, SlowReaders.STARVED, "", 0),
          atMost("slow", ENCRYPTED, SlowReaders.MEMORY, "", 30),
          atMost("slow", ENCRYPTED, Metric.P99.key(), "", 20).or(NGINX, 4),
          atMost("paced", PLAIN, PacedReaders.OFF_LIMIT, "", 3),
          atMost("paced", PLAIN, PacedReaders.INEQUALITY, "", 1.3),
          atMost("paced", PLAIN, SlowReaders.MEMORY, "", 30),
          atMost("paced", PLAIN, Metric.P99.key(), "", 20),
          atMost("idle", PLAIN, Metric.MEMORY_GROWTH.key(), "", 200),
          atLeast("chunks", PLAIN, Metric.REQUEST_RATE.key(), NGINX, 0.8),
          // 20,000 in 20 s.
          atLeast("chunks", PLAIN, Metric.REQUEST_RATE.key(), "", 1_000),
          atMost("chunks", PLAIN, ChunkLoad.RANGES_P99, "", 20));

  private Goals() {}

  /**
   * One of them.
   *
   * @param reference the peer, or empty for an absolute figure
   * @param otherwise would do as well
   */
  private record Wanted(
      String scenario,
      String server,
      String metric,
      String reference,
      boolean atLeast,
      double bound,
      Optional<Wanted> otherwise) {
    Wanted or(String otherReference, double otherBound) {
      Wanted other =
          new Wanted(
              scenario, server, metric, otherReference, atLeast, otherBound, Optional.empty());
      return new Wanted(scenario, server, metric, reference, atLeast, bound, Optional.of(other));
    }

    /** The first of its ways to be reached that is; if none is, itself. */
    Optional<Goal> reached(ServerResult ours, List<Ratio> ratios) {
      Optional<Goal> first = measured(ours, ratios);
      return first
          .filter(Goal::reached)
          .or(() -> otherwise.flatMap(o -> o.measured(ours, ratios)).filter(Goal::reached))
          .or(() -> first);
    }

    /** Empty if what it compares with was not run. */
    private Optional<Goal> measured(ServerResult ours, List<Ratio> ratios) {
      Optional<Double> measured =
          reference.isEmpty()
              ? Optional.ofNullable(ours.median().get(metric))
              : ratios.stream()
                  .filter(ratio -> ratio.is(ours.server(), reference, metric))
                  .map(Ratio::median)
                  .findAny();
      return measured.map(value ->
          new Goal(
              ours.server(),
              metric,
              reference,
              atLeast ? ">=" : "<=",
              bound,
              value,
              atLeast ? value >= bound : value <= bound));
    }
  }

  /** Those of a scenario for one of our servers. */
  static List<Goal> of(String scenario, boolean tls, ServerResult ours, List<Ratio> ratios) {
    String server = tls ? ours.server() + " through TLS" : ours.server();
    return ALL.stream()
        .filter(goal -> goal.scenario.equals(scenario) && goal.server.equals(server))
        .flatMap(goal -> goal.reached(ours, ratios).stream())
        .toList();
  }

  private static Wanted atLeast(
      String scenario, String server, String metric, String reference, double bound) {
    return new Wanted(scenario, server, metric, reference, true, bound, Optional.empty());
  }

  private static Wanted atMost(
      String scenario, String server, String metric, String reference, double bound) {
    return new Wanted(scenario, server, metric, reference, false, bound, Optional.empty());
  }
}
