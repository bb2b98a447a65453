package io.artifactserver.benchmarks.gate;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.artifactserver.benchmarks.results.Machine;
import io.artifactserver.benchmarks.results.ResultFile;
import java.nio.file.Path;
import java.util.List;

/**
 * A run of the gates as it is kept; {@code benchmarks/compare} understands it, and so does {@code
 * benchmarks/report} when it lies among the results. Immutable.
 */
record GateReport(@JsonUnwrapped ResultFile run, List<Line> gates) {
  private static final String COMMAND = "mvn -Pgate verify";

  GateReport {
    gates = List.copyOf(gates);
  }

  static GateReport of(
      GateKeeper.Outcome outcome, Machine machine, String measuredAt, String commit) {
    return new GateReport(
        new ResultFile(COMMAND, measuredAt, commit, machine, outcome.results().results()),
        outcome.verdicts().stream().map(Line::of).toList());
  }

  /** Writes it as JSON. */
  void write(Path path) {
    ResultFile.JSON.writeValue(path, this);
  }

  /** One gate. */
  record Line(
      String name,
      String quotient,
      double value,
      String bound,
      double limit,
      boolean holds,
      String reason,
      String source) {
    static Line of(Gate.Verdict verdict) {
      Gate gate = verdict.gate();
      return new Line(
          gate.name(),
          gate.quotient(),
          verdict.value(),
          gate.bound().toString(),
          gate.limit(),
          verdict.holds(),
          gate.reason(),
          gate.source());
    }
  }
}
