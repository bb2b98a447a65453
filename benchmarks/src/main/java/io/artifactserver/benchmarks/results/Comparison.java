package io.artifactserver.benchmarks.results;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Two runs, benchmark by benchmark. Immutable.
 *
 * @param changes in the order of the later run
 * @param onlyBefore keys that the later run does not have
 * @param onlyAfter keys that the earlier run does not have
 */
public record Comparison(List<Change> changes, List<String> onlyBefore, List<String> onlyAfter) {
  public Comparison {
    changes = List.copyOf(changes);
    onlyBefore = List.copyOf(onlyBefore);
    onlyAfter = List.copyOf(onlyAfter);
  }

  /** Compares. */
  public static Comparison of(Results before, Results after) {
    Map<String, Result> earlier = new LinkedHashMap<>();
    before.results().forEach(result -> earlier.put(result.key(), result));
    List<Change> changes = new ArrayList<>();
    List<String> onlyAfter = new ArrayList<>();
    for (Result result : after.results()) {
      Result was = earlier.remove(result.key());
      if (was == null) {
        onlyAfter.add(result.key());
      } else {
        requireComparable(was, result);
        changes.add(
            new Change(
                result.key(),
                was.primaryMetric(),
                result.primaryMetric(),
                result.mode().equals("thrpt")));
      }
    }
    return new Comparison(changes, List.copyOf(earlier.keySet()), onlyAfter);
  }

  /** Whether something is worse by more than so many percent, and by more than noise. */
  public boolean isWorseBy(double percent) {
    return changes.stream().anyMatch(change -> change.isWorseBy(percent));
  }

  /** The table, for a terminal. */
  public String table() {
    int width = changes.stream().mapToInt(change -> change.key().length()).max().orElse(9);
    StringBuilder table = new StringBuilder();
    table.append(
        "%s  %24s  %24s  %-6s  %8s  %s%n"
            .formatted(" ".repeat(width), "before", "after", "unit", "change", ""));
    for (Change change : changes) {
      table.append(
          ("%-" + width + "s  %24s  %24s  %-6s  %+7.1f%%  %s%n")
              .formatted(
                  change.key(),
                  interval(change.before()),
                  interval(change.after()),
                  change.after().scoreUnit(),
                  change.percent(),
                  change.word()));
    }
    onlyBefore.forEach(key -> table.append(key).append("  only before\n"));
    onlyAfter.forEach(key -> table.append(key).append("  only after\n"));
    return table.toString();
  }

  private static String interval(Metric metric) {
    String score = Figures.format(metric.score());
    return Double.isNaN(metric.scoreError())
        ? score + " ±   ?"
        : "%s ± %s".formatted(score, Figures.format(metric.scoreError()));
  }

  private static void requireComparable(Result before, Result after) {
    if (!before.mode().equals(after.mode())
        || !before.primaryMetric().scoreUnit().equals(after.primaryMetric().scoreUnit())) {
      throw new IllegalArgumentException(
          "%s was measured in %s %s and then in %s %s"
              .formatted(
                  after.key(),
                  before.mode(),
                  before.primaryMetric().scoreUnit(),
                  after.mode(),
                  after.primaryMetric().scoreUnit()));
    }
  }

  /**
   * One benchmark.
   *
   * @param higherIsBetter whether the score is a rate
   */
  public record Change(String key, Metric before, Metric after, boolean higherIsBetter) {
    /** By how much the score changed. */
    public double percent() {
      return (after.score() / before.score() - 1) * 100;
    }

    /** Whether the confidence intervals leave it open that nothing changed. */
    public boolean isNoise() {
      // Without an interval nothing can be said.
      return !(Math.abs(after.score() - before.score()) > before.scoreError() + after.scoreError());
    }

    boolean isWorse() {
      return higherIsBetter ? percent() < 0 : percent() > 0;
    }

    boolean isWorseBy(double percent) {
      return !isNoise() && isWorse() && Math.abs(percent()) > percent;
    }

    String word() {
      if (isNoise()) {
        return "noise";
      }
      return isWorse() ? "worse" : "better";
    }
  }
}
