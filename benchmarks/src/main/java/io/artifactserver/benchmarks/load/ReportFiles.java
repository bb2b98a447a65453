package io.artifactserver.benchmarks.load;

import io.artifactserver.benchmarks.load.LoadReport.Goal;
import io.artifactserver.benchmarks.load.LoadReport.Ratio;
import io.artifactserver.benchmarks.load.LoadReport.ScenarioResult;
import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.LoadReport.ServerResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes a report as JSON and Markdown, and reads the JSON back. */
final class ReportFiles {
  /** Name of the JSON file in a folder of results. */
  static final String JSON = "load.json";

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

  private ReportFiles() {}

  /** Writes everything into a folder, which is created. */
  static void write(LoadReport report, Path folder) throws IOException {
    Files.createDirectories(folder);
    Files.writeString(folder.resolve(JSON), MAPPER.writeValueAsString(report) + "\n");
    Files.writeString(folder.resolve("load.md"), markdown(report));
  }

  /** Reads {@link #JSON}. */
  static LoadReport read(Path file) throws IOException {
    return MAPPER.readValue(Files.readString(file), LoadReport.class);
  }

  /** The report for people. */
  static String markdown(LoadReport report) {
    StringBuilder text = new StringBuilder("# Load\n\n");
    LoadReport.Machine machine = report.machine();
    text.append(
        "%s, commit %s. %d x %s, %.0f GB, %s, %s, Java %s. File of %,d bytes, %d rounds of %s s, interleaved; medians.%s%n%n"
            .formatted(
                report.started(),
                report.commit().isEmpty() ? "unknown" : report.commit(),
                machine.cores(),
                machine.processor(),
                machine.memoryBytes() / 1e9,
                machine.distribution(),
                machine.kernel(),
                machine.java(),
                report.file().length(),
                report.rounds(),
                number(report.seconds()),
                report.tls() ? " Everything through TLS." : ""));
    text.append("```\n").append(report.command()).append("\n```\n\n");
    for (ScenarioResult scenario : report.scenarios()) {
      scenario(scenario, text);
    }
    text.append("## Servers\n");
    for (ServerDescription server : report.servers()) {
      text.append(
          "%n### %s%n%n%s%n%n```%n%s%n```%n"
              .formatted(server.name(), server.version(), server.configuration().strip()));
    }
    return text.toString();
  }

  private static void scenario(ScenarioResult scenario, StringBuilder text) {
    text.append("## %s%n%n%s.%n%n".formatted(scenario.name(), scenario.description()));
    List<Metric> metrics = List.of(Metric.values());
    text.append("| server |");
    metrics.forEach(metric -> text.append(" ").append(metric.key()).append(" |"));
    text.append("\n|---|").append("---:|".repeat(metrics.size())).append("\n");
    for (ServerResult server : scenario.servers()) {
      text.append("| ").append(server.server()).append(" |");
      for (Metric metric : metrics) {
        Double value = server.median().get(metric.key());
        text.append(" ").append(value == null ? "-" : number(value)).append(" |");
      }
      text.append("\n");
    }
    text.append("\n");
    for (ServerResult server : scenario.servers()) {
      List<String> more = new ArrayList<>();
      new TreeMap<>(server.median())
          .forEach((name, value) -> {
            if (metrics.stream().noneMatch(metric -> metric.key().equals(name))) {
              more.add(name + " " + number(value));
            }
          });
      if (!more.isEmpty()) {
        text.append("- ").append(server.server()).append(": ").append(String.join(", ", more));
        text.append("\n");
      }
      if (!server.problem().isEmpty()) {
        text.append("- %s **failed**: %s%n".formatted(server.server(), server.problem()));
      }
    }
    List<Ratio> primary =
        scenario.ratios().stream()
            .filter(ratio -> ratio.metric().equals(scenario.primary().key()))
            .toList();
    if (!primary.isEmpty()) {
      text.append(
          "%n| ratio of %s | to | median | rounds |%n|---|---|---:|---|%n"
              .formatted(scenario.primary().key()));
      for (Ratio ratio : primary) {
        text.append(
            "| %s | %s | %s | %s |%n"
                .formatted(
                    ratio.server(),
                    ratio.reference(),
                    number(ratio.median()),
                    String.join(" ", ratio.rounds().stream().map(ReportFiles::number).toList())));
      }
    }
    for (Goal goal : scenario.goals()) {
      text.append(
          "%n%s: %s of %s %s%s, wanted %s %s%n"
              .formatted(
                  goal.reached() ? "Reached" : "**Not reached**",
                  goal.metric(),
                  goal.server(),
                  number(goal.measured()),
                  goal.reference().isEmpty() ? "" : " of " + goal.reference(),
                  goal.comparison(),
                  number(goal.bound())));
    }
    text.append("\n");
  }

  /** Three significant digits, all of them before the point. */
  static String number(double value) {
    double size = Math.abs(value);
    int decimals = size >= 100 || size == Math.rint(size) ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3;
    return String.format(Locale.ROOT, "%,." + decimals + "f", value);
  }
}
