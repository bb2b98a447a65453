package io.artifactserver.rest.console;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An answer that several pages show, found out once for all of them. What takes long is found out
 * less often: however many pages are open, it takes a tenth of a processor at most. Thread-safe.
 *
 * @param <T> the answer
 */
final class Paced<T> {
  /** Figures that are quick to find out are not older than this. */
  private static final Duration LEAST_AGE = Duration.ofMillis(500);

  private static final int SHARE = 10;

  private final Supplier<T> question;
  private final LongSupplier nanoTime;
  private volatile @Nullable Found<T> found;

  /**
   * @param question that may take long, and may fail
   * @param nanoTime as {@link System#nanoTime}
   */
  Paced(Supplier<T> question, LongSupplier nanoTime) {
    this.question = question;
    this.nanoTime = nanoTime;
  }

  /** Returns the answer of a moment ago; asks the question now and then. */
  T get() {
    Found<T> known = found;
    long begin = nanoTime.getAsLong();
    // One asks; who comes meanwhile has the older one.
    if (known != null
        && (begin - known.dueNanos < 0 || !known.isAskedAgain.compareAndSet(false, true))) {
      return known.answer;
    }
    try {
      T answer = question.get();
      long end = nanoTime.getAsLong();
      found =
          new Found<>(
              answer,
              end + Math.max(LEAST_AGE.toNanos(), SHARE * (end - begin)),
              new AtomicBoolean());
      return answer;
    } catch (RuntimeException e) {
      if (known != null) {
        known.isAskedAgain.set(false);
      }
      throw e;
    }
  }

  private record Found<T>(T answer, long dueNanos, AtomicBoolean isAskedAgain) {}
}
