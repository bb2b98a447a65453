package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Round;
import io.artifactserver.benchmarks.load.LoadReport.ScenarioResult;
import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.LoadReport.ServerResult;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Runs scenarios against servers, the rounds interleaved: all servers do round 1, then all do round
 * 2, each time beginning with another one.
 *
 * @param warmUp length of each round before the measured ones; they end when a server has become no
 *     faster by another one
 * @param quiet a round in which other processes had a greater part of the machine is run again, up
 *     to twice; the quietest counts
 * @param progress gets a line for each round
 */
record LoadRun(
    List<Server> servers,
    Content content,
    int rounds,
    Duration duration,
    Duration warmUp,
    Duration stall,
    long seed,
    int clientThreads,
    double rate,
    boolean tls,
    double quiet,
    PrintWriter progress) {

  private static final int TRIES = 3;

  /** At most that many rounds go before the measured ones. */
  static final int MAX_WARM_UPS = 10;

  /** A server is warm after a round whose throughput is less than this times the one before. */
  private static final double STILL_RISING = 1.03;

  /** The result. Wrong bytes of anybody, or a failed request of ours, make a run a failure. */
  record Outcome(List<ScenarioResult> scenarios, Optional<String> wrongBytes, boolean oursFailed) {}

  /** Runs them all; after wrong bytes nothing more. */
  Outcome run(List<Scenario> scenarios) {
    List<ScenarioResult> results = new ArrayList<>();
    for (Scenario scenario : scenarios) {
      progress.printf("%n%s: %s%n", scenario.name(), scenario.description());
      Map<String, Taken> taken = new LinkedHashMap<>();
      servers.forEach(server -> taken.put(server.description().name(), new Taken()));
      Optional<String> wrong = Optional.empty();
      try {
        for (int round = scenario.warmsUp() ? 0 : 1; round <= rounds; round++) {
          for (int i = 0; i < servers.size(); i++) {
            Server server = servers.get((i + round) % servers.size());
            runOne(
                scenario,
                round,
                server,
                taken.computeIfAbsent(server.description().name(), name -> new Taken()));
          }
        }
      } catch (WrongBytesException e) {
        wrong = Optional.of(String.valueOf(e.getMessage()));
        progress.printf("WRONG BYTES: %s%n", e.getMessage());
      }
      progress.flush();
      List<ServerDescription> descriptions = servers.stream().map(Server::description).toList();
      List<ServerResult> all = new ArrayList<>();
      taken.forEach((name, t) -> all.add(t.result(name)));
      results.add(PeerComparison.compare(scenario, tls, descriptions, all));
      if (wrong.isPresent()) {
        return new Outcome(results, wrong, true);
      }
    }
    return new Outcome(results, Optional.empty(), oursFailed(results));
  }

  private boolean oursFailed(List<ScenarioResult> results) {
    List<String> ours =
        servers.stream()
            .map(Server::description)
            .filter(ServerDescription::ours)
            .map(ServerDescription::name)
            .toList();
    return results.stream()
        .flatMap(result -> result.servers().stream())
        .anyMatch(result -> ours.contains(result.server()) && !result.problem().isEmpty());
  }

  private void runOne(Scenario scenario, int round, Server server, Taken taken) {
    Optional<Target> target = server.target(scenario.door());
    if (taken.givenUp || target.isEmpty()) {
      return;
    }
    if (!server.probe().isAlive()) {
      taken.problem("it died in an earlier scenario");
      taken.givenUp = true;
      return;
    }
    RoundSettings settings =
        new RoundSettings(
            content,
            round,
            seed,
            round == 0 ? warmUp : duration,
            stall,
            clientThreads,
            rate,
            target.get().tls() ? Optional.of(new TrustingTls()) : Optional.empty());
    String name = server.description().name();
    try {
      Supplier<Round> once =
          () -> {
            Round done = scenario.load().run(target.get(), server.probe(), settings);
            progress.println(line(round, name, done));
            progress.flush();
            return done;
          };
      Round result = round == 0 ? warmUp(server, once) : quietest(server, once);
      if (!result.failures().isEmpty()) {
        taken.problem(result.firstFailure());
        progress.printf("    failed: %s; first: %s%n", result.failures(), result.firstFailure());
      }
      if (!server.probe().isAlive()) {
        taken.problem = "it died: its log is in the folder of the run";
        taken.givenUp = true;
        progress.printf("    %s DIED; its log is in the folder of the run%n", name);
      } else if (result.bodyBytes() == 0) {
        taken.givenUp = true;
      } else if (round > 0) {
        taken.rounds.add(result);
      }
    } catch (WrongBytesException e) {
      taken.problem(String.valueOf(e.getMessage()));
      throw e;
    }
  }

  /**
   * A compiler at run time needs longer than any fixed time that the other servers deserve. A
   * failure ends it, so that it is told.
   */
  private static Round warmUp(Server server, Supplier<Round> once) {
    Round result = once.get();
    double before = 0;
    for (int done = 1;
        done < MAX_WARM_UPS
            && Metric.THROUGHPUT.of(result) > STILL_RISING * before
            && result.failures().isEmpty()
            && server.probe().isAlive();
        done++) {
      before = Metric.THROUGHPUT.of(result);
      result = once.get();
    }
    return result;
  }

  private Round quietest(Server server, Supplier<Round> once) {
    Round result = once.get();
    for (int tried = 1;
        tried < TRIES && result.disturbance() > quiet && server.probe().isAlive();
        tried++) {
      Round another = once.get();
      result = another.disturbance() < result.disturbance() ? another : result;
    }
    return result;
  }

  private String line(int round, String name, Round result) {
    StringBuilder more = new StringBuilder();
    result
        .more()
        .forEach((key, value) -> more.append(String.format(Locale.ROOT, ", %s %.4g", key, value)));
    return String.format(
        Locale.ROOT,
        "  %-8s %-26s %,10.0f requests/s %,8.0f MB/s  mean %8.3f  p99 %8.2f ms  CPU/GB server %.3f client %.3f s, others %2.0f%%  %4.0f MB%s",
        round == 0 ? "warm-up" : round + "/" + rounds,
        name,
        Metric.REQUEST_RATE.of(result),
        Metric.THROUGHPUT.of(result),
        result.latency().mean(),
        result.latency().p99(),
        Metric.SERVER_CPU.of(result),
        Metric.CLIENT_CPU.of(result),
        100 * result.disturbance(),
        Metric.MEMORY.of(result),
        more);
  }

  /** The rounds of one server in one scenario so far. */
  private static final class Taken {
    private final List<Round> rounds = new ArrayList<>();
    private String problem = "";
    private boolean givenUp;

    void problem(String message) {
      if (problem.isEmpty()) {
        problem = message.isEmpty() ? "nothing came" : message;
      }
    }

    ServerResult result(String name) {
      if (rounds.isEmpty()) {
        problem("it sent nothing");
      }
      return new ServerResult(name, rounds, PeerComparison.medians(rounds), problem);
    }
  }
}
