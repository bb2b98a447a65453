package io.artifactserver.benchmarks.load;

import static java.util.stream.Collectors.joining;

import io.artifactserver.benchmarks.load.LoadReport.Goal;
import io.artifactserver.benchmarks.load.LoadReport.Ratio;
import io.artifactserver.benchmarks.load.LoadReport.ScenarioResult;
import io.artifactserver.benchmarks.load.LoadReport.ServerDescription;
import io.artifactserver.benchmarks.load.LoadReport.ServerResult;
import io.artifactserver.benchmarks.results.Figures;
import io.artifactserver.benchmarks.results.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.stream.Stream;
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
    StringBuilder text = new StringBuilder();
    Machine machine = report.machine();
    text.append(
        """
        # Load

        %s, commit %s. %d x %s, %.0f GB, %s, %s, Java %s. File of %,d bytes, %d rounds of %s s, interleaved; medians.%s

        ```
        %s
        ```
        """
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
                Figures.format(report.seconds()),
                report.tls() ? " Everything through TLS." : "",
                report.command()));
    report.scenarios().forEach(scenario -> scenario(scenario, text));
    text.append("\n## Servers\n");
    for (ServerDescription server : report.servers()) {
      text.append(
          "%n### %s%n%n%s%n%n```%n%s%n```%n"
              .formatted(server.name(), server.version(), server.configuration().strip()));
    }
    return text.toString();
  }

  private static void scenario(ScenarioResult scenario, StringBuilder text) {
    text.append("%n## %s%n%n%s.%n%n".formatted(scenario.name(), scenario.description()));
    Set<String> figures = new LinkedHashSet<>();
    Stream.of(Metric.values()).map(Metric::key).forEach(figures::add);
    scenario.servers().stream()
        .flatMap(server -> server.median().keySet().stream())
        .sorted()
        .forEach(figures::add);
    row(text, "server", figures.stream());
    row(text, "---", figures.stream().map(_ -> "---:"));
    for (ServerResult server : scenario.servers()) {
      row(
          text,
          server.server(),
          figures.stream()
              .map(name ->
                  server.median().containsKey(name)
                      ? Figures.format(server.median().get(name))
                      : "-"));
    }
    for (ServerResult server : scenario.servers()) {
      if (!server.problem().isEmpty()) {
        text.append("%n%s **failed**: %s%n".formatted(server.server(), server.problem()));
      }
    }
    text.append("%n| ratio of %s | to | median | rounds |%n".formatted(scenario.primary().key()));
    text.append("|---|---|---:|---|\n");
    for (Ratio ratio : scenario.ratios()) {
      if (ratio.metric().equals(scenario.primary().key())) {
        row(
            text,
            ratio.server(),
            Stream.of(
                ratio.reference(),
                Figures.format(ratio.median()),
                ratio.rounds().stream().map(Figures::format).collect(joining(" "))));
      }
    }
    for (Goal goal : scenario.goals()) {
      text.append(
          "%n%s: %s of %s %s%s, wanted %s %s%n"
              .formatted(
                  goal.reached() ? "Reached" : "**Not reached**",
                  goal.metric(),
                  goal.server(),
                  Figures.format(goal.measured()),
                  goal.reference().isEmpty() ? "" : " of " + goal.reference(),
                  goal.comparison(),
                  Figures.format(goal.bound())));
    }
  }

  private static void row(StringBuilder text, String first, Stream<String> others) {
    text.append(others.collect(joining(" | ", "| " + first + " | ", " |\n")));
  }
}
