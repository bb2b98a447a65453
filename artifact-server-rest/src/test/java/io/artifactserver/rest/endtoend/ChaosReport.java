package io.artifactserver.rest.endtoend;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;

/** Counts acts and answers, and keeps the first failures. Thread-safe. */
final class ChaosReport {
  private static final int MAX_KEPT = 20;

  private final Map<String, LongAdder> acts = new ConcurrentSkipListMap<>();
  private final Map<String, LongAdder> answers = new ConcurrentSkipListMap<>();
  private final List<Throwable> failures = new ArrayList<>();
  private long wrong;

  void act(Enum<?> kind) {
    acts.computeIfAbsent(kind.name(), _ -> new LongAdder()).increment();
  }

  /** Counts an answer by its status, or something else that a client met. */
  void answer(String kind) {
    answers.computeIfAbsent(kind, _ -> new LongAdder()).increment();
  }

  synchronized void fail(Throwable failure) {
    wrong++;
    if (failures.size() < MAX_KEPT) {
      failures.add(failure);
    }
  }

  /** Returns how many acts were counted. */
  long acts() {
    return acts.values().stream().mapToLong(LongAdder::sum).sum();
  }

  synchronized boolean isClean() {
    return wrong == 0;
  }

  /** Returns the names of all that was counted. */
  Set<String> kinds() {
    Set<String> kinds = new TreeSet<>(acts.keySet());
    kinds.addAll(answers.keySet());
    return kinds;
  }

  /**
   * @throws AssertionError if a client failed, with the first failures
   */
  synchronized void requireNone(String run) {
    if (wrong > 0) {
      AssertionError error =
          new AssertionError(
              "%d failures in %s:%n%s"
                  .formatted(
                      wrong,
                      run,
                      failures.stream()
                          .map(Throwable::toString)
                          .collect(Collectors.joining("\n"))));
      failures.forEach(error::addSuppressed);
      throw error;
    }
  }

  @Override
  public synchronized String toString() {
    return "acts %s, answers %s, wrong=%d".formatted(acts, answers, wrong);
  }
}
