package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.results.Machine;
import java.util.List;
import java.util.Map;

/**
 * Everything one run of the harness found out; written to {@code load.json} and read back by
 * whatever makes pages of it. Times are in the units their names say, sizes in bytes unless they
 * say otherwise, a megabyte is 10^6 and a gigabyte 10^9 bytes.
 *
 * @param schema version of this format
 * @param started when the run began, ISO 8601
 * @param commit commit of the sources, with {@code -dirty} if they were changed; empty if unknown
 * @param command the command that repeats the run
 * @param file what was served
 * @param rounds measured rounds of each scenario, without those that went before as warm-up
 * @param seconds length of a round
 * @param clientThreads threads of wrk and h2load
 * @param tls whether all of it went through TLS
 */
public record LoadReport(
    int schema,
    String started,
    String commit,
    String command,
    Machine machine,
    ServedFile file,
    int rounds,
    double seconds,
    int clientThreads,
    boolean tls,
    List<ServerDescription> servers,
    List<ScenarioResult> scenarios) {

  /** The version that {@link #schema} has now. */
  public static final int SCHEMA = 1;

  public LoadReport {
    servers = List.copyOf(servers);
    scenarios = List.copyOf(scenarios);
  }

  /**
   * The downloads.
   *
   * @param seed of its bytes, 0 for a file that was given
   */
  public record ServedFile(long length, long seed) {}

  /**
   * One of the compared servers.
   *
   * @param name as in the results: {@code artifact-server}, {@code nginx nopush-on}, ...
   * @param family servers of one family are settings of the same product; the comparison takes the
   *     best of them for each scenario
   * @param ours whether it is what is being compared
   * @param version as the product says it
   * @param configuration its whole configuration, or its command line
   */
  public record ServerDescription(
      String name, String family, boolean ours, String version, String configuration) {}

  /**
   * One scenario, all servers.
   *
   * @param primary the figure by which servers are compared in this scenario
   * @param ratios of each of our servers to each peer and to the best of each family
   */
  public record ScenarioResult(
      String name,
      String description,
      Metric primary,
      List<ServerResult> servers,
      List<Ratio> ratios,
      List<Goal> goals) {
    public ScenarioResult {
      servers = List.copyOf(servers);
      ratios = List.copyOf(ratios);
      goals = List.copyOf(goals);
    }
  }

  /**
   * One server in one scenario.
   *
   * @param rounds in the order they ran; empty if the server could not run the scenario
   * @param median of each figure over the rounds, by {@link Metric#key} and by the names of {@link
   *     Round#more}
   * @param problem why there are no rounds, or the first failure; empty if there was none
   */
  public record ServerResult(
      String server, List<Round> rounds, Map<String, Double> median, String problem) {
    public ServerResult {
      rounds = List.copyOf(rounds);
      median = Map.copyOf(median);
    }
  }

  /**
   * One round.
   *
   * @param requests answered completely and correctly
   * @param failures by kind: {@code status 503}, {@code short body}, {@code stalled}, ...
   * @param bodyBytes received; compared as well, unless another program made the load
   * @param latency of requests, from when they were due to their last byte
   * @param serverCpuSeconds of all processes of the server, without an embedded database
   * @param clientCpuSeconds of the harness, and of the program that makes the load
   * @param disturbance the part of all processors' time that went to other processes, 0 to 1; of a
   *     server that runs elsewhere, or whose processes are not known, its own time is in it
   * @param anonymousBytesBefore {@code Pss_Anon} of the server's processes before the round
   * @param anonymousBytes the same at the end of it, with all connections open
   * @param more figures of this scenario only
   * @param firstFailure what happened to the first request that failed; empty if none did
   */
  public record Round(
      int round,
      double seconds,
      long requests,
      Map<String, Long> failures,
      long bodyBytes,
      Latency latency,
      double serverCpuSeconds,
      double clientCpuSeconds,
      double disturbance,
      long anonymousBytesBefore,
      long anonymousBytes,
      Map<String, Double> more,
      String firstFailure) {
    public Round {
      failures = Map.copyOf(failures);
      more = Map.copyOf(more);
    }

    long anonymousBytesMore() {
      return anonymousBytes - anonymousBytesBefore;
    }
  }

  /** Milliseconds; all 0 when nothing was measured. */
  public record Latency(
      double mean, double p50, double p90, double p95, double p99, double p999, double max) {
    static final Latency NONE = new Latency(0, 0, 0, 0, 0, 0, 0);
  }

  /**
   * Ours divided by a peer's.
   *
   * @param server one of ours
   * @param reference the peer, or {@code best FAMILY}
   * @param metric {@link Metric#key}
   * @param higherIsBetter whether a ratio above 1 is a win
   * @param rounds the ratio within each round
   * @param median of them
   */
  public record Ratio(
      String server,
      String reference,
      String metric,
      boolean higherIsBetter,
      List<Double> rounds,
      double median) {
    public Ratio {
      rounds = List.copyOf(rounds);
    }

    /** Whether it compares these. */
    public boolean is(String ofServer, String toReference, String byMetric) {
      return server.equals(ofServer) && reference.equals(toReference) && metric.equals(byMetric);
    }
  }

  /**
   * An aim, and whether it was reached.
   *
   * @param server one of ours
   * @param metric a {@link Metric#key} or a name of {@link Round#more}
   * @param reference the peer for a ratio, empty for an absolute figure
   * @param comparison {@code >=} or {@code <=}
   */
  public record Goal(
      String server,
      String metric,
      String reference,
      String comparison,
      double bound,
      double measured,
      boolean reached) {}
}
