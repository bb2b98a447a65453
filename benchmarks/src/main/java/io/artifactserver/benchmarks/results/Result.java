package io.artifactserver.benchmarks.results;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * One benchmark with one choice of its knobs, with the names that JMH gives them in JSON.
 * Immutable.
 *
 * @param benchmark class and method
 * @param mode {@code avgt}: the score is time an operation; {@code thrpt}: operations a time
 * @param params knobs and their values; JMH leaves them out when there are none
 * @param secondaryMetrics of the profilers
 */
public record Result(
    String benchmark,
    String mode,
    int threads,
    int forks,
    Map<String, String> params,
    Metric primaryMetric,
    Map<String, Metric> secondaryMetrics) {
  /** Bytes allocated by an operation, by the garbage collector's profiler. */
  static final String GARBAGE = "gc.alloc.rate.norm";

  public Result {
    params = params == null ? Map.of() : Map.copyOf(params);
    secondaryMetrics =
        secondaryMetrics.entrySet().stream()
            .filter(entry -> entry.getKey().equals(GARBAGE))
            .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Class and method without the package. */
  public String name() {
    int method = benchmark.lastIndexOf('.');
    return benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1);
  }

  /** The class without the package. */
  public String subject() {
    return name().substring(0, name().indexOf('.'));
  }

  /** The method. */
  public String method() {
    return name().substring(name().indexOf('.') + 1);
  }

  /** The name and the knobs: what makes two results comparable. */
  public String key() {
    return params.isEmpty() ? name() : name() + " " + knobs();
  }

  /** The knobs as {@code name=value}, by name. */
  public String knobs() {
    return new TreeMap<>(params)
        .entrySet().stream()
            .map(entry -> entry.getKey() + "=" + entry.getValue())
            .collect(Collectors.joining(" "));
  }

  /** Whether it is of this benchmark and has, among others, these knobs. */
  public boolean is(String name, Map<String, String> knobs) {
    return name().equals(name) && params.entrySet().containsAll(knobs.entrySet());
  }

  /** Bytes allocated by an operation, if it was measured. */
  public Optional<Metric> garbage() {
    return Optional.ofNullable(secondaryMetrics.get(GARBAGE));
  }

  /** The same benchmark with the samples of both. */
  Result with(Result more) {
    Map<String, Metric> secondary = new HashMap<>(secondaryMetrics);
    more.secondaryMetrics.forEach((key, metric) -> secondary.merge(key, metric, Result::together));
    return new Result(
        benchmark,
        mode,
        threads,
        forks + more.forks,
        params,
        together(primaryMetric, more.primaryMetric),
        secondary);
  }

  private static Metric together(Metric first, Metric second) {
    List<List<Double>> rawData = new ArrayList<>(first.rawData());
    rawData.addAll(second.rawData());
    return Metric.of(first.scoreUnit(), rawData);
  }
}
