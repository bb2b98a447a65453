package io.artifactserver.rest.delivery;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * When devices are to poll again: after the interval, and later while more of them poll than are
 * welcome. So those that come back together after an outage come again one by one. Thread-safe.
 */
final class PollPace {
  /** Devices that were answered at the same time come again over this part of the interval. */
  private static final double SPREAD = 0.2;

  /** Over which polls are counted. */
  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** The longest time, in seconds. */
  private static final long LONGEST = TimeUnit.DAYS.toSeconds(1);

  private final double interval;
  private final double maxRate;
  private final LongSupplier nanoTime;
  private final AtomicLong periodBegan;
  private final AtomicLong count = new AtomicLong();

  /** Polls of the last whole period. */
  private final AtomicLong countBefore = new AtomicLong();

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  PollPace(PollProperties properties, LongSupplier nanoTime) {
    this.interval = properties.interval().toSeconds();
    this.maxRate = properties.maxRate();
    this.nanoTime = nanoTime;
    this.periodBegan = new AtomicLong(nanoTime.getAsLong());
  }

  /**
   * Counts a poll; returns after how many seconds the device is to poll again.
   *
   * @param isWaiting whether the device waits for a rollout that somebody has paused
   */
  long next(boolean isWaiting) {
    double overload = overload();
    double spread = Math.max(SPREAD, overload - 1);
    double calm = isWaiting ? 2 * interval : interval;
    double seconds = calm * (1 + spread * ThreadLocalRandom.current().nextDouble());
    return Math.min(LONGEST, Math.round(seconds));
  }

  /** How many times as many poll as are welcome: the more of this period and the last. */
  private double overload() {
    long now = nanoTime.getAsLong();
    long began = periodBegan.get();
    long age = now - began;
    if (age >= PERIOD_NANOS && periodBegan.compareAndSet(began, now)) {
      long ended = count.getAndSet(0);
      countBefore.set(age < 2 * PERIOD_NANOS ? ended : 0);
    }
    long most = Math.max(count.incrementAndGet(), countBefore.get());
    return most / (maxRate * TimeUnit.NANOSECONDS.toSeconds(PERIOD_NANOS));
  }
}
