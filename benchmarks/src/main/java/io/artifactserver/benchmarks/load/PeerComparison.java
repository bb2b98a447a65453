package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Goal;
import io.artifactserver.benchmarks.load.LoadReport.Ratio;
import io.artifactserver.benchmarks.load.LoadReport.Round;
import io.artifactserver.benchmarks.load.LoadReport.ScenarioResult;
import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.LoadReport.ServerResult;
import io.artifactserver.benchmarks.results.Figures;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Medians, ratios and goals. Pure functions. */
final class PeerComparison {
  private PeerComparison() {}

  /** The median of each figure that all rounds have. */
  static Map<String, Double> medians(List<Round> rounds) {
    Map<String, Double> medians = new HashMap<>();
    if (rounds.isEmpty()) {
      return medians;
    }
    for (Metric metric : Metric.values()) {
      medians.put(metric.key(), Figures.median(rounds.stream().mapToDouble(metric::of).toArray()));
    }
    for (String name : rounds.getFirst().more().keySet()) {
      if (rounds.stream().allMatch(round -> round.more().containsKey(name))) {
        medians.put(
            name,
            Figures.median(rounds.stream().mapToDouble(round -> round.more().get(name)).toArray()));
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
        peers.put("best " + family, bestOf(members, scenario.primary()));
      }
    });
    List<Ratio> ratios = new ArrayList<>();
    List<Goal> goals = new ArrayList<>();
    for (ServerDescription server : servers) {
      ServerResult ours = byName.get(server.name());
      if (server.ours() && ours != null && !ours.rounds().isEmpty()) {
        peers.forEach((name, peer) -> ratios.addAll(ratios(scenario, ours, name, peer)));
        goals.addAll(Goals.of(scenario.name(), tls, ours, ratios));
      }
    }
    return new ScenarioResult(
        scenario.name(), scenario.description(), scenario.primary(), results, ratios, goals);
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
    return Stream.of(
            Metric.REQUEST_RATE,
            Metric.THROUGHPUT,
            Metric.MEAN,
            Metric.P99,
            Metric.SERVER_CPU,
            scenario.primary())
        .distinct()
        .flatMap(metric -> ratio(metric, ours, reference, peer).stream())
        .toList();
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
            Figures.median(rounds.stream().mapToDouble(Double::doubleValue).toArray())));
  }
}
