package io.artifactserver.rest.console;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressSubject;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;

/**
 * Rollouts that pages show, found out once for all of them. What takes long is found out less
 * often: however many pages are open, a rollout takes a tenth of a processor at most. Thread-safe.
 */
final class Rollouts {
  /** Figures that are quick to find out are not older than this. */
  private static final Duration LEAST_AGE = Duration.ofMillis(500);

  private static final Duration KEPT = Duration.ofMinutes(10);
  private static final int SHARE = 10;
  private static final int MAX_KEPT = 32;

  private final ProgressBook book;
  private final ProgressStore store;
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Cache<ProgressSubject, Found> found =
      Caffeine.newBuilder().maximumSize(MAX_KEPT).expireAfterWrite(KEPT).build();

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  Rollouts(ProgressBook book, ProgressStore store, InstantSource clock, LongSupplier nanoTime) {
    this.book = book;
    this.store = store;
    this.clock = clock;
    this.nanoTime = nanoTime;
  }

  /** Returns a rollout as it was a moment ago; asks the database now and then. */
  Rollout of(ProgressSubject subject) {
    Found known = found.getIfPresent(subject);
    long begin = nanoTime.getAsLong();
    // One asks; who comes meanwhile has the older one.
    if (known != null
        && (begin - known.dueNanos < 0 || !known.isAskedAgain.compareAndSet(false, true))) {
      return known.rollout;
    }
    try {
      Rollout rollout = Rollout.of(subject, book, store, clock.instant());
      long end = nanoTime.getAsLong();
      found.put(
          subject,
          new Found(
              rollout,
              end + Math.max(LEAST_AGE.toNanos(), SHARE * (end - begin)),
              new AtomicBoolean()));
      return rollout;
    } catch (RuntimeException e) {
      if (known != null) {
        known.isAskedAgain.set(false);
      }
      throw e;
    }
  }

  private record Found(Rollout rollout, long dueNanos, AtomicBoolean isAskedAgain) {}
}
