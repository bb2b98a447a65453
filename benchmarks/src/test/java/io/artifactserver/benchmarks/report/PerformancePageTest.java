package io.artifactserver.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.benchmarks.load.LoadReport;
import io.artifactserver.benchmarks.load.LoadReport.Goal;
import io.artifactserver.benchmarks.load.LoadReport.Ratio;
import io.artifactserver.benchmarks.load.LoadReport.ScenarioResult;
import io.artifactserver.benchmarks.load.Metric;
import io.artifactserver.benchmarks.results.Machine;
import io.artifactserver.benchmarks.results.Result;
import io.artifactserver.benchmarks.results.ResultFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PerformancePageTest {
  private static final Machine MACHINE = new Machine(2, "cpu", 1, "kernel", "system", "java");

  @Test
  void theCommittedPageIsMadeOfTheCommittedResults() throws IOException {
    assertThat(Files.readString(Path.of("../docs/performance.md")))
        .as("docs/performance.md is not what benchmarks/report makes of benchmarks/results")
        .isEqualTo(Report.page(Path.of("results")));
  }

  @Test
  void showsFiguresBesidePublishedOnesWithTheirCommand() {
    String page =
        PerformancePage.of(
            List.of(run(seek("pread", "0", 50), seek("pread", "600000000", 60))), List.of());

    assertThat(page)
        .contains("| us/op | position 0 | position 600000000 | bytes allocated |")
        .contains("| `pread` | 50 ± 1 | 60 ± 1 |  |")
        .contains("| *hawkBit, skip by reading* | *34* | *27,210* |")
        .contains("`the command`, 2026-01-02, at commit abc");
  }

  @Test
  void whatIsBelowItsTargetIsNotWon() {
    String page =
        PerformancePage.of(
            List.of(run(seek("pread", "0", 50), seek("pread", "600000000", 60))),
            List.of(
                load(
                    List.of(
                        new Ratio(
                            "artifact-server", "best nginx", "requests/s", true, List.of(), 0.9),
                        new Ratio("artifact-server", "caddy", "requests/s", true, List.of(), 3),
                        new Ratio("artifact-server", "caddy", "p99 ms", false, List.of(), 3)),
                    List.of(
                        new Goal("artifact-server", "p99 ms", "", "<=", 50, 40, true),
                        new Goal("artifact-server", "p50 ms", "", "<=", 5, 10, false)))));

    assertThat(between(page, "## What is behind", "## The server under load"))
        .contains("A range at 600 MB takes no longer than one at 0 | 1.2 | <= 1.05")
        .contains("artifact-server / best nginx | 0.9 | >= 1")
        .contains("p50 ms of artifact-server | 10 | <= 5")
        .doesNotContain("caddy", "p99 ms")
        .containsSubsequence("p50 ms", "A range at 600 MB", "best nginx");
    assertThat(between(page, "## The server under load", "## Seek"))
        .contains("| `small` |  requests/s | 0.9 |  | 3 |  |  | 2026-01-02 abc |");
  }

  @Test
  void beginsWithWhatIsWonAndLost() {
    assertThat(between(beside(1.2), "## Won", "## Machine"))
        .contains("| won | `small` 1.2 |", "| equal | none |", "| lost | none |");
    assertThat(between(beside(0.98), "## Won", "## Machine")).contains("| equal | `small` 0.98 |");
    assertThat(between(beside(0.9), "## Won", "## Machine")).contains("| lost | `small` 0.9 |");
  }

  private static String beside(double ratio) {
    return PerformancePage.of(List.of(), List.of(load("2026-02-02T00:00:00Z", ratio(ratio))));
  }

  @Test
  void theNewestRunOfAScenarioCounts() {
    String page =
        PerformancePage.of(
            List.of(),
            List.of(
                load("2026-02-02T00:00:00Z", ratio(0.8)),
                load("2026-01-02T00:00:00Z", ratio(0.7))));

    assertThat(page).contains("| 0.8 |", "`small` 0.8").doesNotContain("0.7");
  }

  @Test
  void theWorstTenOfWhatIsBehindAreShown() {
    List<Goal> goals =
        IntStream.rangeClosed(1, 12)
            .mapToObj(i -> new Goal("artifact-server", "m" + i, "", "<=", 1, 1 + i, false))
            .toList();

    String page = PerformancePage.of(List.of(), List.of(load(List.of(), goals)));

    assertThat(page).contains(": m12 of", ": m3 of").doesNotContain(": m2 of", ": m1 of");
  }

  @Test
  void thePageStaysShort() throws IOException {
    assertThat(Report.page(Path.of("results")).lines()).hasSizeLessThanOrEqualTo(200);
  }

  @Test
  void runsOfOneBenchmarkStandBelowOneHeading() {
    String page =
        PerformancePage.of(
            List.of(run(seek("pread", "0", 50)), run(seek("mappedSlice", "0", 7))), List.of());

    assertThat(page)
        .containsOnlyOnce("## Seek")
        .contains("| `pread` | 50 ± 1 |")
        .contains("| `mappedSlice` | 7 ± 1 |");
  }

  @Test
  void aLoadStandsWithTheKernelThatCarriedIt() {
    String page = PerformancePage.of(List.of(), List.of(load(List.of(), List.of())));

    assertThat(page).contains("`the load's command`, 2026-01-02, at commit abc, on kernel");
  }

  private static String between(String page, String from, String to) {
    return page.substring(page.indexOf(from), page.indexOf(to));
  }

  private static ResultFile run(Result... results) {
    return new ResultFile("the command", "2026-01-02T03:04:05Z", "abc", MACHINE, List.of(results));
  }

  private static Result seek(String method, String position, double score) {
    return new Result(
        "x.SeekBenchmark." + method,
        "avgt",
        1,
        1,
        Map.of("position", position),
        new io.artifactserver.benchmarks.results.Metric(score, 1, "us/op", List.of(List.of(score))),
        Map.of());
  }

  private static List<Ratio> ratio(double median) {
    return List.of(
        new Ratio("artifact-server", "best nginx", "requests/s", true, List.of(), median));
  }

  private static LoadReport load(List<Ratio> ratios, List<Goal> goals) {
    return load("2026-01-02T03:04:05Z", ratios, goals);
  }

  private static LoadReport load(String started, List<Ratio> ratios) {
    return load(started, ratios, List.of());
  }

  private static LoadReport load(String started, List<Ratio> ratios, List<Goal> goals) {
    return new LoadReport(
        LoadReport.SCHEMA,
        started,
        "abc",
        "the load's command",
        MACHINE,
        new LoadReport.ServedFile(800_000_000, 1),
        5,
        1,
        1,
        false,
        List.of(),
        List.of(
            new ScenarioResult(
                "small", "4 KiB ranges.", Metric.REQUEST_RATE, List.of(), ratios, goals)));
  }
}
