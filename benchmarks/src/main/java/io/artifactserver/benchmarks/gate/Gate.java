package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.results.Results;
import java.util.List;
import java.util.stream.Stream;

/**
 * A promise about speed or garbage that every build checks. Immutable.
 *
 * @param name short, unique
 * @param over divided by {@code under}
 * @param bound on which side of the limit the ratio must be
 * @param reason why it matters
 * @param source where the limit is from
 */
public record Gate(
    String name, Term over, Term under, Bound bound, double limit, String reason, String source) {
  /** On which side of the limit the good is. */
  public enum Bound {
    AT_MOST("<="),
    AT_LEAST(">=");

    private final String sign;

    Bound(String sign) {
      this.sign = sign;
    }

    @Override
    public String toString() {
      return sign;
    }
  }

  static Gate atMost(
      String name, Term over, Term under, double limit, String reason, String source) {
    return new Gate(name, over, under, Bound.AT_MOST, limit, reason, source);
  }

  static Gate atLeast(
      String name, Term over, Term under, double limit, String reason, String source) {
    return new Gate(name, over, under, Bound.AT_LEAST, limit, reason, source);
  }

  /** The benchmarks that it needs. */
  List<Term.Subject> subjects() {
    return Stream.of(over, under).flatMap(term -> term.subjects().stream()).toList();
  }

  /** Looks at a run. */
  Verdict judge(Results results) {
    return new Verdict(this, over.of(results) / under.of(results));
  }

  /** The ratio in words. */
  String quotient() {
    return under.equals(Term.ONE) ? over.toString() : over + " / " + under;
  }

  /**
   * A run's finding about a gate. Immutable.
   *
   * @param value of the ratio
   */
  public record Verdict(Gate gate, double value) {
    /** Whether the promise is kept. What cannot be compared is not. */
    public boolean holds() {
      return switch (gate.bound) {
        case AT_MOST -> value <= gate.limit;
        case AT_LEAST -> value >= gate.limit;
      };
    }
  }
}
