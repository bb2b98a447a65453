package io.artifactserver.rest.api.audit;

import java.time.Duration;
import java.time.Instant;
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

  /** Bytes that a change with a path of some 60 characters adds to the database, as measured. */
  private static final int LENGTH = 4_500;

  /** Characters of such a change's entry. */
  private static final int ENTRY_LENGTH = 450;

  /** Bytes that each character of an entry beyond those adds: a path is kept in several places. */
  private static final double LENGTH_PER_CHARACTER = 3.5;

  private final double max;
  private final InstantSource clock;

  /** Changes of each caller today. Guarded by this object, as is the day. */
  private final Map<String, Double> added = new HashMap<>();

  private LocalDate day = LocalDate.EPOCH;

  /**
   * @param max changes of a caller in a day, with paths of some 60 characters; longer ones count
   *     for more
   */
  Changes(int max, InstantSource clock) {
    this.max = max;
    this.clock = clock;
  }

  synchronized boolean isLeft(String caller) {
    forgetYesterday();
    return added.getOrDefault(counted(caller), 0.0) < max;
  }

  /** How long the day still lasts; at least a second. */
  Duration untilMore() {
    Instant now = clock.instant();
    Instant midnight =
        LocalDate.ofInstant(now, ZoneOffset.UTC)
            .plusDays(1)
            .atStartOfDay()
            .toInstant(ZoneOffset.UTC);
    return Duration.between(now, midnight).plusSeconds(1);
  }

  /**
   * Counts a change.
   *
   * @param entryLength of its entry in the audit, in characters
   */
  synchronized void count(String caller, int entryLength) {
    forgetYesterday();
    double more = LENGTH_PER_CHARACTER * Math.max(0, entryLength - ENTRY_LENGTH) / LENGTH;
    added.merge(counted(caller), 1 + more, Double::sum);
  }

  private void forgetYesterday() {
    LocalDate today = LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    if (!today.equals(day)) {
      day = today;
      added.clear();
    }
  }

  private String counted(String caller) {
    return added.size() < MAX_CALLERS || added.containsKey(caller) ? caller : OTHERS;
  }
}
