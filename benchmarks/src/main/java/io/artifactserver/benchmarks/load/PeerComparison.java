package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Goal;
import io.artifactserver.benchmarks.load.LoadReport.Ratio;
import io.artifactserver.benchmarks.load.LoadReport.Round;
import io.artifactserver.benchmarks.load.LoadReport.ScenarioResult;
import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.LoadReport.ServerResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Medians, ratios and goals. Pure functions. */
final class PeerComparison {
  private PeerComparison() {}

  /** Of at least one number; the mean of the middle two of an even count. */
  static double median(double... numbers) {
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** The median of each figure that all rounds have. */
  static Map<String, Double> medians(List<Round> rounds) {
    Map<String, Double> medians = new HashMap<>();
    if (rounds.isEmpty()) {
      return medians;
    }
    for (Metric metric : Metric.values()) {
      medians.put(metric.key(), median(rounds.stream().mapToDouble(metric::of).toArray()));
    }
    for (String name : rounds.getFirst().more().keySet()) {
      if (rounds.stream().allMatch(round -> round.more().containsKey(name))) {
        medians.put(
            name, median(rounds.stream().mapToDouble(round -> round.more().get(name)).toArray()));
      }
    }
    return medians;
  }

  /** Compares each of ours with each peer, and with the best of each family of peers. */
  static ScenarioResult compare(
      Scenario scenario, boolean tls, List<ServerDescription> servers, List<ServerResult> results) {
    Map<String, ServerResult> byName = new HashMap<>();
    results.forEach(result -> byName.put(result.server(), result));
    Map<String, List<ServerResult>> families = new LinkedHashMap<>();
    Map<String, ServerResult> peers = new LinkedHashMap<>();
    for (ServerDescription server : servers) {
      ServerResult result = byName.get(server.name());
      if (!server.ours() && result != null && !result.rounds().isEmpty()) {
        peers.put(server.name(), result);
        families.computeIfAbsent(server.family(), family -> new ArrayList<>()).add(result);
      }
    }
    families.forEach((family, members) -> {
      if (members.size() > 1) {
        peers.put(best(family), bestOf(members, scenario.primary()));
      }
    });
    List<Ratio> ratios = new ArrayList<>();
    List<Goal> goals = new ArrayList<>();
    for (ServerDescription server : servers) {
      ServerResult ours = byName.get(server.name());
      if (server.ours() && ours != null && !ours.rounds().isEmpty()) {
        peers.forEach((name, peer) -> ratios.addAll(ratios(scenario, ours, name, peer)));
        Goals.of(scenario.name(), server.name(), tls)
            .forEach(goal -> reached(goal, ours, ratios).ifPresent(goals::add));
      }
    }
    return new ScenarioResult(
        scenario.name(), scenario.description(), scenario.primary(), results, ratios, goals);
  }

  /** Name of the best of a family in a ratio. */
  static String best(String family) {
    return "best " + family;
  }

  private static ServerResult bestOf(List<ServerResult> members, Metric metric) {
    Comparator<ServerResult> byFigure =
        Comparator.comparingDouble(result -> result.median().getOrDefault(metric.key(), 0.0));
    return members.stream()
        .max(metric.higherIsBetter() ? byFigure : byFigure.reversed())
        .orElseThrow();
  }

  private static List<Ratio> ratios(
      Scenario scenario, ServerResult ours, String reference, ServerResult peer) {
    List<Ratio> ratios = new ArrayList<>();
    for (Metric metric :
        List.of(
            Metric.REQUEST_RATE, Metric.THROUGHPUT, Metric.MEAN, Metric.P99, Metric.SERVER_CPU)) {
      ratio(metric, ours, reference, peer).ifPresent(ratios::add);
    }
    if (ratios.stream().noneMatch(ratio -> ratio.metric().equals(scenario.primary().key()))) {
      ratio(scenario.primary(), ours, reference, peer).ifPresent(ratios::add);
    }
    return ratios;
  }

  private static Optional<Ratio> ratio(
      Metric metric, ServerResult ours, String reference, ServerResult peer) {
    List<Double> rounds = new ArrayList<>();
    for (Round round : ours.rounds()) {
      for (Round theirs : peer.rounds()) {
        if (theirs.round() == round.round() && metric.of(theirs) > 0) {
          rounds.add(metric.of(round) / metric.of(theirs));
        }
      }
    }
    if (rounds.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Ratio(
            ours.server(),
            reference,
            metric.key(),
            metric.higherIsBetter(),
            rounds,
            median(rounds.stream().mapToDouble(Double::doubleValue).toArray())));
  }

  /** The first of its ways to be reached that is; if none is, itself. */
  private static Optional<Goal> reached(Goals.Wanted goal, ServerResult ours, List<Ratio> ratios) {
    Optional<Goal> first = measured(goal, ours, ratios);
    return first
        .filter(Goal::reached)
        .or(() ->
            goal.others().stream()
                .flatMap(other -> measured(other, ours, ratios).stream())
                .filter(Goal::reached)
                .findFirst())
        .or(() -> first);
  }

  /** Empty if what it compares with was not run. */
  private static Optional<Goal> measured(Goals.Wanted goal, ServerResult ours, List<Ratio> ratios) {
    Optional<Double> measured =
        goal.reference().isEmpty()
            ? Optional.ofNullable(ours.median().get(goal.metric()))
            : ratios.stream()
                .filter(ratio ->
                    ratio.server().equals(ours.server())
                        && ratio.reference().equals(goal.reference())
                        && ratio.metric().equals(goal.metric()))
                .map(Ratio::median)
                .findAny();
    return measured.map(value ->
        new Goal(
            ours.server(),
            goal.metric(),
            goal.reference(),
            goal.atLeast() ? ">=" : "<=",
            goal.bound(),
            value,
            goal.atLeast() ? value >= goal.bound() : value <= goal.bound()));
  }
}
