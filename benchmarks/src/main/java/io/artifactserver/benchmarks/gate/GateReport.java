package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.results.Machine;
import io.artifactserver.benchmarks.results.Result;
import java.nio.file.Path;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A run of the gates as it is kept; {@code benchmarks/compare} understands it, and so does {@code
 * benchmarks/report} when it lies among the results. Immutable.
 *
 * @param command repeats it
 * @param measuredAt when it ended, ISO 8601
 * @param commit of the sources; empty if unknown
 */
record GateReport(
    String command,
    String measuredAt,
    String commit,
    Machine machine,
    List<Line> gates,
    List<Result> results) {
  private static final String COMMAND = "mvn -Pgate verify";

  GateReport {
    gates = List.copyOf(gates);
    results = List.copyOf(results);
  }

  static GateReport of(
      GateKeeper.Outcome outcome, Machine machine, String measuredAt, String commit) {
    return new GateReport(
        COMMAND,
        measuredAt,
        commit,
        machine,
        outcome.verdicts().stream().map(Line::of).toList(),
        outcome.results().results());
  }

  /** Writes it as JSON. */
  void write(Path path) {
    JsonMapper.builder()
        .enable(SerializationFeature.INDENT_OUTPUT)
        .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
        .build()
        .writeValue(path, this);
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
