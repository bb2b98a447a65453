package io.artifactserver.core.retire;

import java.time.Instant;
import java.time.InstantSource;
import java.util.function.LongSupplier;

/**
 * A clock for what must not happen too early: when somebody sets the machine's clock forward, it
 * does not follow; set back, it does. So a deletion comes late in doubt. Immutable, thread-safe.
 */
public final class SteadyClock implements InstantSource {
  private final InstantSource clock;
  private final LongSupplier nanoTime;
  private final Instant startedAt;
  private final long startedAtNanos;

  /**
   * @param clock of the machine
   * @param nanoTime as {@link System#nanoTime}
   */
  public SteadyClock(InstantSource clock, LongSupplier nanoTime) {
    this.clock = clock;
    this.nanoTime = nanoTime;
    this.startedAt = clock.instant();
    this.startedAtNanos = nanoTime.getAsLong();
  }

  @Override
  public Instant instant() {
    Instant steady = startedAt.plusNanos(nanoTime.getAsLong() - startedAtNanos);
    Instant told = clock.instant();
    return told.isBefore(steady) ? told : steady;
  }
}
