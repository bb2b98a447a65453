package io.artifactserver.benchmarks.gate;

import io.artifactserver.benchmarks.results.Metric;
import io.artifactserver.benchmarks.results.Result;
import io.artifactserver.benchmarks.results.Results;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** One side of a gate's ratio: a number taken from the results of a run. Immutable. */
sealed interface Term {
  /**
   * The number.
   *
   * @throws NoSuchElementException if it was not measured
   */
  double of(Results results);

  /** What must be measured for it. */
  Stream<Subject> subjects();

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
  record Time(Subject subject) implements Term {
    @Override
    public double of(Results results) {
      return subject.in(results).primaryMetric().median();
    }

    @Override
    public Stream<Subject> subjects() {
      return Stream.of(subject);
    }

    @Override
    public String toString() {
      return subject.toString();
    }
  }

  /** Bytes allocated by an operation. */
  record Garbage(Subject subject) implements Term {
    @Override
    public double of(Results results) {
      return subject
          .in(results)
          .garbage()
          .map(Metric::median)
          .orElseThrow(() -> new NoSuchElementException("No garbage of " + subject));
    }

    @Override
    public Stream<Subject> subjects() {
      return Stream.of(subject);
    }

    @Override
    public String toString() {
      return "bytes allocated by " + subject;
    }
  }

  /** The shortest of several times. */
  record Fastest(List<Time> times) implements Term {
    public Fastest {
      times = List.copyOf(times);
    }

    @Override
    public double of(Results results) {
      return times.stream().mapToDouble(time -> time.of(results)).min().orElseThrow();
    }

    @Override
    public Stream<Subject> subjects() {
      return times.stream().map(Time::subject);
    }

    @Override
    public String toString() {
      return times.stream()
          .map(Time::toString)
          .collect(Collectors.joining(", ", "fastest of ", ""));
    }
  }

  /** The longest of several times. */
  record Slowest(List<Time> times) implements Term {
    public Slowest {
      times = List.copyOf(times);
    }

    @Override
    public double of(Results results) {
      return times.stream().mapToDouble(time -> time.of(results)).max().orElseThrow();
    }

    @Override
    public Stream<Subject> subjects() {
      return times.stream().map(Time::subject);
    }

    @Override
    public String toString() {
      return times.stream()
          .map(Time::toString)
          .collect(Collectors.joining(", ", "slowest of ", ""));
    }
  }

  /** Nothing to divide by: the other term is a number that no machine changes. */
  record One() implements Term {
    @Override
    public double of(Results results) {
      return 1;
    }

    @Override
    public Stream<Subject> subjects() {
      return Stream.of();
    }

    @Override
    public String toString() {
      return "1";
    }
  }
}
