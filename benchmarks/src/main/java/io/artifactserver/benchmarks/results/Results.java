package io.artifactserver.benchmarks.results;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** Measurements of one or several runs, by {@link Result#key()}. Immutable. */
public record Results(List<Result> results) {
  public Results {
    results = List.copyOf(results);
  }

  /**
   * The result of a benchmark.
   *
   * @param name class and method without the package
   * @param knobs that it has among others
   * @throws NoSuchElementException if it was not measured
   */
  public Result get(String name, Map<String, String> knobs) {
    return results.stream()
        .filter(result -> result.is(name, knobs))
        .findFirst()
        .orElseThrow(
            () -> new NoSuchElementException("%s with %s was not measured".formatted(name, knobs)));
  }

  /** The samples of these and of further rounds together. */
  public Results with(Results more) {
    Map<String, Result> merged = new LinkedHashMap<>();
    results.forEach(result -> merged.put(result.key(), result));
    more.results.forEach(result -> merged.merge(result.key(), result, Result::with));
    return new Results(new ArrayList<>(merged.values()));
  }

  /** These, but those measured again as they are now. */
  public Results replacedBy(Results again) {
    Map<String, Result> merged = new LinkedHashMap<>();
    results.forEach(result -> merged.put(result.key(), result));
    again.results.forEach(result -> merged.put(result.key(), result));
    return new Results(new ArrayList<>(merged.values()));
  }
}
