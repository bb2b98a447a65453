package io.artifactserver.core.retire;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * A clock for what must not happen too early: when somebody sets the machine's clock forward, it
 * does not follow; set back, it does, and stays behind when that is corrected. So a deletion comes
 * late in doubt. Thread-safe.
 */
public final class SteadyClock implements InstantSource {
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final AtomicReference<Reading> last;

  /**
   * @param clock of the machine
   * @param nanoTime as {@link System#nanoTime}
   */
  public SteadyClock(InstantSource clock, LongSupplier nanoTime) {
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.last = new AtomicReference<>(new Reading(clock.instant(), nanoTime.getAsLong()));
  }

  @Override
  public Instant instant() {
    return last.updateAndGet(this::next).instant;
  }

  private Reading next(Reading before) {
    long nanos = nanoTime.getAsLong();
    Instant steady = before.instant.plusNanos(nanos - before.nanos);
    Instant told = clock.instant();
    return new Reading(told.isBefore(steady) ? told : steady, nanos);
  }

  private record Reading(Instant instant, long nanos) {}
}
