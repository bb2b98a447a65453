package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.results.Metric;
import io.artifactserver.benchmarks.results.Result;
import io.artifactserver.benchmarks.results.Results;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/**
 * One side of a gate's ratio: a number taken from the results of a run. Immutable.
 *
 * @param text says which number it is
 * @param subjects what must be measured for it
 * @param number throws NoSuchElementException if it was not measured
 */
record Term(String text, List<Subject> subjects, ToDoubleFunction<Results> number) {
  /** Nothing to divide by: the other term is a number that no machine changes. */
  static final Term ONE = new Term("1", List.of(), _ -> 1);

  Term {
    subjects = List.copyOf(subjects);
  }

  /**
   * A benchmark and the knobs that matter.
   *
   * @param name class and method
   */
  record Subject(String name, Map<String, String> knobs) {
    public Subject {
      knobs = Map.copyOf(knobs);
    }

    Result in(Results results) {
      return results.get(name, knobs);
    }

    double time(Results results) {
      return in(results).primaryMetric().median();
    }

    @Override
    public String toString() {
      return knobs.isEmpty()
          ? name
          : new TreeMap<>(knobs)
              .entrySet().stream()
                  .map(entry -> entry.getKey() + "=" + entry.getValue())
                  .collect(Collectors.joining(", ", name + "(", ")"));
    }
  }

  /** Median time of an operation. */
  static Term time(Subject subject) {
    return new Term(subject.toString(), List.of(subject), subject::time);
  }

  static Term time(String name, Map<String, String> knobs) {
    return time(new Subject(name, knobs));
  }

  /** Bytes allocated by an operation. */
  static Term garbage(Subject subject) {
    return new Term(
        "bytes allocated by " + subject,
        List.of(subject),
        results ->
            subject
                .in(results)
                .garbage()
                .map(Metric::median)
                .orElseThrow(() -> new NoSuchElementException("No garbage of " + subject)));
  }

  /** The shortest of several times. */
  static Term fastest(List<Subject> subjects) {
    return new Term(
        names("fastest of ", subjects),
        subjects,
        results -> times(subjects, results).min().orElseThrow());
  }

  /** The longest of several times. */
  static Term slowest(List<Subject> subjects) {
    return new Term(
        names("slowest of ", subjects),
        subjects,
        results -> times(subjects, results).max().orElseThrow());
  }

  private static DoubleStream times(List<Subject> subjects, Results results) {
    return subjects.stream().mapToDouble(subject -> subject.time(results));
  }

  private static String names(String prefix, List<Subject> subjects) {
    return subjects.stream().map(Subject::toString).collect(Collectors.joining(", ", prefix, ""));
  }

  double of(Results results) {
    return number.applyAsDouble(results);
  }

  @Override
  public String toString() {
    return text;
  }
}
