package io.artifactserver.benchmarks.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.benchmarks.gate.Gate.Bound;
import io.artifactserver.benchmarks.gate.GateKeeper.Outcome;
import io.artifactserver.benchmarks.gate.Term.Subject;
import io.artifactserver.benchmarks.results.Metric;
import io.artifactserver.benchmarks.results.Result;
import io.artifactserver.benchmarks.results.ResultFile;
import io.artifactserver.benchmarks.results.Results;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GateKeeperTest {
  private static final Subject FAR = new Subject("Seek.read", Map.of("position", "600"));
  private static final Subject NEAR = new Subject("Seek.read", Map.of("position", "0"));
  private static final Subject OTHER = new Subject("Plan.plan", Map.of());
  private static final Gate FLAT =
      new Gate(
          "flat", Term.time(FAR), Term.time(NEAR), Bound.AT_MOST, 1.3, "the reason", "the source");
  private static final Gate CHEAP =
      new Gate("cheap", Term.time(OTHER), Term.time(NEAR), Bound.AT_MOST, 1, "why", "where from");

  private final List<Subject> measured = new ArrayList<>();
  private final Deque<Double> far = new ArrayDeque<>();

  @Test
  void measuresEachSubjectOnceARound() {
    Outcome outcome = check(FLAT, CHEAP);

    assertThat(outcome.holds()).isTrue();
    assertThat(measured).containsExactly(FAR, NEAR, OTHER);
    assertThat(outcome.results().results())
        .allSatisfy(
            result -> assertThat(result.primaryMetric().rawData()).hasSize(GateKeeper.ROUNDS));
  }

  @Test
  void noiseIsMeasuredAgainAndForgotten() {
    far.add(9.0);

    Outcome outcome = check(FLAT, CHEAP);

    assertThat(outcome.holds()).isTrue();
    assertThat(outcome.measuredAgain()).containsExactly("flat");
    assertThat(measured.subList(3, measured.size()))
        .hasSize(2 * GateKeeper.ROUNDS_AGAIN)
        .containsOnly(FAR, NEAR);
    assertThat(outcome.table()).contains("ok    flat").contains("measured again");
  }

  @Test
  void aRegressionFailsTwiceAndIsExplained() {
    far.addAll(List.of(9.0, 9.0, 9.0, 9.0, 9.0, 9.0));

    Outcome outcome = check(FLAT, CHEAP);

    assertThat(outcome.holds()).isFalse();
    assertThat(outcome.table())
        .contains("FAIL  flat")
        .contains("9  <= 1.3")
        .contains("the reason")
        .contains("the source")
        .contains("ok    cheap");
  }

  @Test
  void oneBadIterationIsNoRegression() {
    Results results =
        results(FAR, List.of(1.0, 1.0, 50.0, 1.1, 1.0)).with(results(NEAR, List.of(1.0)));

    assertThat(FLAT.judge(results).holds()).isTrue();
  }

  @Test
  void whatIsNoNumberDoesNotHold() {
    Results results = results(FAR, List.of(0.0)).with(results(NEAR, List.of(0.0)));

    assertThat(FLAT.judge(results).holds()).isFalse();
  }

  @Test
  void theRunEndsWithAStatusAndLeavesAFile(@TempDir Path folder) throws IOException {
    assertThat(GateRun.run(List.of(FLAT), this::bench, folder, "abc1234", silent())).isZero();
    // As a result for docs/performance.md.
    ResultFile kept = ResultFile.read(folder.resolve("gates.json"));
    assertThat(kept.command()).isEqualTo("mvn -Pgate verify");
    assertThat(kept.commit()).isEqualTo("abc1234");
    assertThat(kept.results()).isNotEmpty();
    assertThat(Files.readString(folder.resolve("gates.json")))
        .contains("\"holds\" : true", "the reason");

    far.addAll(List.of(9.0, 9.0, 9.0, 9.0, 9.0, 9.0));
    assertThat(GateRun.run(List.of(FLAT), this::bench, folder, "abc1234", silent())).isEqualTo(1);
    assertThat(Files.readString(folder.resolve("gates.json"))).contains("\"holds\" : false");
  }

  private Outcome check(Gate... gates) {
    return new GateKeeper(List.of(gates), this::bench, silent()).check();
  }

  private static PrintStream silent() {
    return new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
  }

  private Results bench(Subject subject) {
    measured.add(subject);
    double time = subject.equals(FAR) && !far.isEmpty() ? far.poll() : 1;
    return results(subject, List.of(time, time, time));
  }

  private static Results results(Subject subject, List<Double> samples) {
    Metric metric = new Metric(samples.getFirst(), 0, "us/op", List.of(samples));
    return new Results(
        List.of(
            new Result(
                "some.package." + subject.name(),
                "avgt",
                1,
                1,
                subject.knobs(),
                metric,
                Map.of())));
  }
}
