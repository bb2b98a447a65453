package io.artifactserver.rest.audit;

import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;

/**
 * Bounds what each caller changes in a day, in UTC: what is changed stays in the database, and when
 * the audit is full its oldest entries go. Thread-safe.
 */
final class Changes {
  /** The rest share one count. */
  private static final int MAX_CALLERS = 10_000;

  private static final String OTHERS = "";

  private final int max;
  private final InstantSource clock;

  /** By caller, of the day. Guarded by this object, and so is the day. */
  private final Map<String, Integer> counts = new HashMap<>();

  private LocalDate day = LocalDate.EPOCH;

  /**
   * @param max changes of a caller in a day
   */
  Changes(int max, InstantSource clock) {
    this.max = max;
    this.clock = clock;
  }

  synchronized boolean isLeft(String caller) {
    forgetYesterday();
    return counts.getOrDefault(counted(caller), 0) < max;
  }

  synchronized void count(String caller) {
    forgetYesterday();
    counts.merge(counted(caller), 1, Integer::sum);
  }

  private void forgetYesterday() {
    LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    if (!today.equals(day)) {
      day = today;
      counts.clear();
    }
  }

  private String counted(String caller) {
    return counts.size() < MAX_CALLERS || counts.containsKey(caller) ? caller : OTHERS;
  }
}
