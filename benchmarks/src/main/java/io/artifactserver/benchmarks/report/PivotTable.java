package io.artifactserver.benchmarks.report;

import io.artifactserver.benchmarks.results.Figures;
import io.artifactserver.benchmarks.results.Result;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Results of JMH as a table: rows are methods and knobs, columns the values of one knob. */
final class PivotTable {
  private PivotTable() {}

  /** The lines of the table. */
  static List<String> of(Section section, List<Result> results) {
    List<String> lines = new ArrayList<>();
    Set<String> columns = new LinkedHashSet<>();
    Map<String, Map<String, Result>> rows = new LinkedHashMap<>();
    for (Result result : results) {
      String column = result.params().getOrDefault(section.columns(), "");
      columns.add(column);
      Map<String, String> others = new TreeMap<>(result.params());
      others.remove(section.columns());
      others.values().removeIf(value -> isConstant(results, value));
      String label =
          others.isEmpty()
              ? "`%s`".formatted(result.method())
              : others.entrySet().stream()
                  .map(entry -> entry.getKey() + " " + entry.getValue())
                  .collect(Collectors.joining(", ", "`%s`, ".formatted(result.method()), ""));
      rows.computeIfAbsent(label, key -> new LinkedHashMap<>()).put(column, result);
    }
    lines.add(
        "| %s | %s | bytes allocated |"
            .formatted(
                results.getFirst().primaryMetric().scoreUnit(),
                columns.stream()
                    .map(column -> column.isEmpty() ? "" : section.columns() + " " + column)
                    .collect(Collectors.joining(" | "))));
    lines.add("|---|" + "---:|".repeat(columns.size() + 1));
    rows.forEach((label, cells) ->
        lines.add(
            "| %s | %s | %s |"
                .formatted(
                    label,
                    columns.stream()
                        .map(column -> cell(Optional.ofNullable(cells.get(column))))
                        .collect(Collectors.joining(" | ")),
                    garbage(cells))));
    for (Section.Published published : section.published()) {
      lines.add(
          "| *%s* | %s | *%s* |"
              .formatted(
                  published.label(),
                  columns.stream()
                      .map(column ->
                          Optional.ofNullable(published.cells().get(column))
                              .map("*%s*"::formatted)
                              .orElse(""))
                      .collect(Collectors.joining(" | ")),
                  published.source()));
    }
    return lines;
  }

  /** Whether every result that has a knob of this value has the same: it tells nothing apart. */
  private static boolean isConstant(List<Result> results, String value) {
    return results.stream()
        .flatMap(result -> result.params().entrySet().stream())
        .filter(entry -> entry.getValue().equals(value))
        .map(Map.Entry::getKey)
        .distinct()
        .allMatch(knob ->
            results.stream()
                    .flatMap(result -> Optional.ofNullable(result.params().get(knob)).stream())
                    .distinct()
                    .count()
                == 1);
  }

  private static String cell(Optional<Result> result) {
    return result
        .map(found ->
            "%s ± %s"
                .formatted(
                    Figures.format(found.primaryMetric().score()),
                    Figures.format(found.primaryMetric().scoreError())))
        .orElse("");
  }

  private static String garbage(Map<String, Result> cells) {
    double[] bytes =
        cells.values().stream()
            .flatMap(result -> result.garbage().stream())
            .mapToDouble(metric -> Math.round(metric.median()))
            .sorted()
            .toArray();
    if (bytes.length == 0) {
      return "";
    }
    String least = Figures.format(bytes[0]);
    String most = Figures.format(bytes[bytes.length - 1]);
    return least.equals(most) ? least : least + " to " + most;
  }
}
