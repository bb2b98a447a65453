package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.gate.Gate.Verdict;
import io.artifactserver.benchmarks.results.Figures;
import io.artifactserver.benchmarks.results.Result;
import io.artifactserver.benchmarks.results.Results;
import java.io.PrintStream;
import java.util.List;
import java.util.function.Predicate;

/**
 * Measures what the gates look at, and judges. Rounds are interleaved: each goes once through all
 * subjects, so that a disturbance of some seconds hits one sample of several subjects and not all
 * of one. Used by one thread.
 *
 * @param out shows the progress
 */
record GateKeeper(List<Gate> gates, Bench bench, PrintStream out) {
  /** Forks of each subject: enough for the gates that hold with room to spare, which are most. */
  static final int ROUNDS = 1;

  /** Forks of each subject of a gate that failed; only they decide then. */
  static final int ROUNDS_AGAIN = 5;

  GateKeeper {
    gates = List.copyOf(gates);
  }

  /** Measures all, and once more what fails. Takes minutes. */
  Outcome check() {
    Results results = measure(gates, ROUNDS);
    List<Verdict> first = judge(results);
    List<Gate> failed =
        first.stream().filter(Predicate.not(Verdict::holds)).map(Verdict::gate).toList();
    if (failed.isEmpty()) {
      return new Outcome(results, first, List.of());
    }
    out.printf("%n%d failed and are measured again:%n", failed.size());
    for (Verdict verdict : first) {
      if (!verdict.holds()) {
        out.println("  " + Outcome.line(verdict));
      }
    }
    Results again = measure(failed, ROUNDS_AGAIN);
    List<Verdict> second =
        first.stream()
            .map(verdict -> verdict.holds() ? verdict : verdict.gate().judge(again))
            .toList();
    return new Outcome(results.replacedBy(again), second, failed.stream().map(Gate::name).toList());
  }

  private List<Verdict> judge(Results results) {
    return gates.stream().map(gate -> gate.judge(results)).toList();
  }

  private Results measure(List<Gate> which, int rounds) {
    List<Term.Subject> subjects =
        which.stream().flatMap(gate -> gate.subjects().stream()).distinct().toList();
    Results results = new Results(List.of());
    for (int round = 1; round <= rounds; round++) {
      out.printf("%nround %d of %d%n", round, rounds);
      for (Term.Subject subject : subjects) {
        Results measured = bench.measure(subject);
        for (Result result : measured.results()) {
          out.printf(
              "  %-62s %10s %s%n",
              subject,
              Figures.format(result.primaryMetric().median()),
              result.primaryMetric().scoreUnit());
        }
        results = results.with(measured);
      }
    }
    return results;
  }

  /**
   * The result. Immutable.
   *
   * @param verdicts of every gate, the last one of those that were measured again
   * @param measuredAgain names of the gates that failed at first
   */
  record Outcome(Results results, List<Verdict> verdicts, List<String> measuredAgain) {
    Outcome {
      verdicts = List.copyOf(verdicts);
      measuredAgain = List.copyOf(measuredAgain);
    }

    /** Whether every gate holds. */
    boolean holds() {
      return verdicts.stream().allMatch(Verdict::holds);
    }

    /** The table, for a terminal. */
    String table() {
      StringBuilder table = new StringBuilder();
      for (Verdict verdict : verdicts) {
        table.append(line(verdict));
        if (measuredAgain.contains(verdict.gate().name())) {
          table.append("  (measured again)");
        }
        table.append('\n');
        if (!verdict.holds()) {
          table
              .append("       %s%n".formatted(verdict.gate().quotient()))
              .append("       %s%n".formatted(verdict.gate().reason()))
              .append("       The limit is from: %s%n".formatted(verdict.gate().source()));
        }
      }
      return table.toString();
    }

    private static String line(Verdict verdict) {
      Gate gate = verdict.gate();
      return "%-4s  %-44s %9s  %s %s"
          .formatted(
              verdict.holds() ? "ok" : "FAIL",
              gate.name(),
              Figures.format(verdict.value()),
              gate.bound(),
              Figures.format(gate.limit()));
    }
  }
}
