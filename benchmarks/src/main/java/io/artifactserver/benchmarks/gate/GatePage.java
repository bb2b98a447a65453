package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.load.LoadReport.Machine;
import io.artifactserver.benchmarks.results.Figures;
import io.artifactserver.benchmarks.results.Metric;
import io.artifactserver.benchmarks.results.Result;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A run of the gates as one HTML file that needs nothing from elsewhere. */
final class GatePage {
  private static final String STYLE =
      """
      body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 62em; color: #222; }
      table { border-collapse: collapse; width: 100%; margin: 1em 0; }
      th, td { text-align: left; padding: .3em .6em; border-bottom: 1px solid #ddd; vertical-align: top; }
      td.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
      .ok { color: #1a7f37; } .fail { color: #cf222e; font-weight: bold; }
      small { color: #666; } img { max-width: 100%; height: auto; }
      """;

  private GatePage() {}

  static String of(GateReport report) {
    boolean holds = report.gates().stream().allMatch(GateReport.Line::holds);
    StringBuilder page = new StringBuilder();
    page.append("<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n")
        .append("<title>Performance gates</title>\n<style>\n")
        .append(STYLE)
        .append("</style>\n<h1>Performance gates</h1>\n")
        .append(
            "<p class=\"%s\">%s</p>\n"
                .formatted(
                    holds ? "ok" : "fail", holds ? "Every gate holds." : "Not every gate holds."))
        .append("<p>%s, %s</p>\n".formatted(report.measuredAt(), machine(report.machine())));
    gates(report.gates(), page);
    Map<String, List<Result>> subjects =
        report.results().stream()
            .collect(
                Collectors.groupingBy(Result::subject, LinkedHashMap::new, Collectors.toList()));
    subjects.forEach((subject, results) -> subject(subject, results, page));
    return page.append("</html>\n").toString();
  }

  private static void gates(List<GateReport.Line> gates, StringBuilder page) {
    page.append(
        "<table>\n<tr><th></th><th>Gate</th><th>Value</th><th>Limit</th><th>Why</th></tr>\n");
    for (GateReport.Line gate : gates) {
      page.append(
          """
          <tr><td class="%s">%s</td><td>%s<br><small>%s</small></td><td class="number">%s</td>\
          <td class="number">%s %s</td><td>%s <small>%s</small></td></tr>
          """
              .formatted(
                  gate.holds() ? "ok" : "fail",
                  gate.holds() ? "ok" : "FAIL",
                  escape(gate.name()),
                  escape(gate.quotient()),
                  Figures.format(gate.value()),
                  escape(gate.bound()),
                  Figures.format(gate.limit()),
                  escape(gate.reason()),
                  escape(gate.source())));
    }
    page.append("</table>\n");
  }

  private static void subject(String subject, List<Result> results, StringBuilder page) {
    page.append("<h2>").append(subject).append("</h2>\n");
    BarChart.image(results).ifPresent(image -> page.append(image).append('\n'));
    page.append(
        "<table>\n<tr><th>Method</th><th>Knobs</th><th>Median</th><th>Mean</th><th>99.9 %</th>"
            + "<th>Garbage</th></tr>\n");
    for (Result result : results) {
      Metric metric = result.primaryMetric();
      page.append(
          """
          <tr><td>%s</td><td>%s</td><td class="number">%s %s</td><td class="number">%s</td>\
          <td class="number">± %s</td><td class="number">%s</td></tr>
          """
              .formatted(
                  result.method(),
                  escape(result.knobs()),
                  Figures.format(metric.median()),
                  escape(metric.scoreUnit()),
                  Figures.format(metric.score()),
                  Figures.format(metric.scoreError()),
                  result
                      .garbage()
                      .map(garbage -> Figures.format(garbage.median()) + " B/op")
                      .orElse("")));
    }
    page.append("</table>\n");
  }

  private static String machine(Machine machine) {
    return escape(
        "%d cores of %s, %s GB, %s, Java %s"
            .formatted(
                machine.cores(),
                machine.processor(),
                Figures.format(machine.memoryBytes() / 1e9),
                machine.kernel(),
                machine.java()));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }
}
