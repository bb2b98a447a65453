package io.artifactserver.rest.problem;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs failures that any request may meet: the first in a while with its stack trace, of the others
 * their number. One client that asks again and again would fill the disk otherwise. Thread-safe.
 */
public final class FailureLog {
  /** Between two that are logged. */
  static final Duration PAUSE = Duration.ofSeconds(10);

  private final Logger logger;
  private final LongSupplier nanoClock;
  private final AtomicLong last;
  private final AtomicLong untold = new AtomicLong();

  public FailureLog(Logger logger) {
    this(logger, System::nanoTime);
  }

  FailureLog(Logger logger, LongSupplier nanoClock) {
    this.logger = logger;
    this.nanoClock = nanoClock;
    this.last = new AtomicLong(nanoClock.getAsLong() - PAUSE.toNanos());
  }

  /**
   * @param what failed, as {@code Cannot serve /artifacts/a/b}
   */
  public void failed(String what, Throwable cause) {
    long now = nanoClock.getAsLong();
    long before = last.get();
    if (now - before < PAUSE.toNanos() || !last.compareAndSet(before, now)) {
      untold.incrementAndGet();
      return;
    }
    long others = untold.getAndSet(0);
    if (others == 0) {
      logger.error("{}", what, cause);
    } else {
      logger.error("{} (and {} more failures since the last that was logged)", what, others, cause);
    }
  }
}
