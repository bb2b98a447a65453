package io.artifactserver.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonTest {
  @ParameterizedTest
  @CsvSource({
    // mode, before, error, after, error, percent allowed, worse
    "avgt, 100, 1, 120, 1, 10, true",
    "avgt, 100, 1, 120, 1, 25, false",
    "avgt, 100, 15, 120, 15, 10, false",
    "avgt, 120, 1, 100, 1, 10, false",
    "thrpt, 120, 1, 100, 1, 10, true",
    "thrpt, 100, 1, 120, 1, 10, false",
    "avgt, 100, NaN, 200, NaN, 10, false"
  })
  void isWorseWhenIntervalsDoNotOverlap(
      String mode,
      double before,
      double errorBefore,
      double after,
      double errorAfter,
      double percent,
      boolean worse) {
    Comparison comparison =
        Comparison.of(
            results(result(mode, before, errorBefore)), results(result(mode, after, errorAfter)));

    assertThat(comparison.isWorseBy(percent)).isEqualTo(worse);
  }

  @Test
  void tellsWhatOnlyOneRunHas() {
    Result other = new Result("a.Other.run", "avgt", 1, 1, Map.of(), metric(1, 1), Map.of());

    Comparison comparison = Comparison.of(results(result("avgt", 1, 1)), results(other));

    assertThat(comparison.onlyBefore()).containsExactly("Some.run length=1");
    assertThat(comparison.onlyAfter()).containsExactly("Other.run");
    assertThat(comparison.changes()).isEmpty();
  }

  @Test
  void doesNotCompareTimesWithRates() {
    assertThatThrownBy(
            () -> Comparison.of(results(result("avgt", 1, 1)), results(result("thrpt", 1, 1))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Some.run");
  }

  @Test
  void readsWhatJmhWritesAndFailsAsAsked(@TempDir Path folder) throws IOException {
    Path before = Files.writeString(folder.resolve("before.json"), jmh(100, "1"));
    Path after = Files.writeString(folder.resolve("after.json"), jmh(200, "1"));

    assertThat(Compare.run(List.of(before.toString(), after.toString()))).isZero();
    assertThat(Compare.run(List.of(before.toString(), after.toString(), "--fail-above", "50")))
        .isEqualTo(1);
    assertThat(Compare.run(List.of(after.toString(), before.toString(), "--fail-above", "50")))
        .isZero();
    assertThat(Compare.run(List.of(before.toString()))).isEqualTo(2);
    assertThat(Compare.run(List.of(before.toString(), after.toString(), "--fail-above", "much")))
        .isEqualTo(2);
  }

  @Test
  void keepsWhatItReads(@TempDir Path folder) throws IOException {
    Path jmh = Files.writeString(folder.resolve("jmh.json"), jmh(100, "\"NaN\""));
    Results results = ResultFile.readResults(jmh);
    Path kept = folder.resolve("kept.json");

    new ResultFile("command", "2026-01-01T00:00:00Z", "", Machine.here(), results.results())
        .write(kept);

    assertThat(ResultFile.readResults(kept)).isEqualTo(results);
    Result result = results.results().getFirst();
    assertThat(result.params()).isEmpty();
    assertThat(result.primaryMetric().scoreError()).isNaN();
    assertThat(result.garbage()).map(Metric::median).contains(16.0);
    assertThat(result.secondaryMetrics()).hasSize(1);
    assertThat(Files.readString(kept)).doesNotContain("/opt/java");
  }

  @Test
  void samplesOfRoundsAreTakenTogether() {
    Results together = results(result("avgt", 1, 0)).with(results(result("avgt", 3, 0)));

    Metric metric = together.get("Some.run", Map.of("length", "1")).primaryMetric();
    assertThat(metric.score()).isEqualTo(2);
    assertThat(metric.median()).isEqualTo(2);
    assertThat(metric.rawData()).hasSize(2);
  }

  private static Results results(Result... results) {
    return new Results(List.of(results));
  }

  private static Result result(String mode, double score, double error) {
    return new Result(
        "a.Some.run", mode, 1, 1, Map.of("length", "1"), metric(score, error), Map.of());
  }

  private static Metric metric(double score, double error) {
    return new Metric(score, error, "us/op", List.of(List.of(score)));
  }

  private static String jmh(double score, String error) {
    return """
    [{"jmhVersion": "1.37", "benchmark": "a.b.Some.run", "mode": "avgt", "threads": 1, "forks": 1,
      "jvm": "/opt/java/bin/java",
      "primaryMetric": {"score": %1$s, "scoreError": %2$s, "scoreUnit": "us/op",
        "scoreConfidence": ["NaN", "NaN"], "rawData": [[%1$s]]},
      "secondaryMetrics": {
        "gc.count": {"score": 0, "scoreError": 1, "scoreUnit": "counts", "rawData": [[0]]},
        "gc.alloc.rate.norm": {"score": 16, "scoreError": 1, "scoreUnit": "B/op", "rawData": [[16]]}}
    }]
    """
        .formatted(score, error);
  }
}
