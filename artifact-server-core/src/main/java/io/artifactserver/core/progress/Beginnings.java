package io.artifactserver.core.progress;

import io.artifactserver.core.progress.ProgressStore.Addition;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * Bounds how many rows begin in the store: those whose device's name a caller chose, of each caller
 * a day, and all rows together. Rows that are there go on. Thread-safe.
 */
final class Beginnings {
  /** The rest share one count. */
  private static final int MAX_CALLERS = 10_000;

  private static final Object OTHERS = new Object();

  /** The device's credentials have its name. */
  private static final Object NOBODY = new Object();

  private final long max;
  private final int maxOfCaller;
  private final AtomicLong rows = new AtomicLong();
  private final AtomicReference<Instant> day = new AtomicReference<>(Instant.EPOCH);

  /** Of this day, by caller. Guarded by this object. */
  private final Map<Object, Integer> today = new HashMap<>();

  /**
   * @param max most rows
   * @param maxOfCaller most rows that begin in a day, in UTC, with names that one caller chose
   */
  Beginnings(long max, int maxOfCaller) {
    this.max = max;
    this.maxOfCaller = maxOfCaller;
  }

  /** Returns which additions of one batch may begin; those that it lets count for the others. */
  Predicate<Addition> ofBatch(Instant now) {
    Map<Object, Integer> batch = new HashMap<>();
    return addition -> {
      Object caller = Optional.ofNullable(addition.namedBy()).orElse(NOBODY);
      boolean mayBegin =
          mayBegin(
              caller,
              batch.getOrDefault(caller, 0),
              batch.values().stream().mapToInt(Integer::intValue).sum(),
              now);
      if (mayBegin) {
        batch.merge(caller, 1, Integer::sum);
      }
      return mayBegin;
    };
  }

  private synchronized boolean mayBegin(Object caller, int more, int moreOfAll, Instant now) {
    Instant begun = now.truncatedTo(ChronoUnit.DAYS);
    if (!begun.equals(day.getAndSet(begun))) {
      today.clear();
    }
    return rows.get() + moreOfAll < max
        && (caller.equals(NOBODY) || today.getOrDefault(counted(caller), 0) + more < maxOfCaller);
  }

  /** Rows began with these. */
  synchronized void began(List<Addition> additions) {
    rows.addAndGet(additions.size());
    for (Addition each : additions) {
      Object caller = each.namedBy();
      if (caller != null) {
        today.merge(counted(caller), 1, Integer::sum);
      }
    }
  }

  private Object counted(Object caller) {
    return today.size() < MAX_CALLERS || today.containsKey(caller) ? caller : OTHERS;
  }

  /** The store has so many rows. */
  void counted(long count) {
    rows.set(count);
  }
}
