package io.artifactserver.core.limit;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * A token bucket: hands out bytes at a rate. Readers get them in the order of asking, a few at a
 * time, so that readers that ask again and again have equal shares. Nobody is refused, and no
 * thread waits. Thread-safe.
 *
 * <p>The bucket keeps what 50 ms bring, so that a late timer does not slow it down. It begins
 * empty. A grant may overdraw it, when the rate fell after the bytes were asked for; then the next
 * one waits for longer.
 */
public final class TokenBucket {
  /** Largest grant to the only reader, in bytes: as much as is worth a system call of its own. */
  static final long MAX_GRANT = 64 * 1024;

  /** Largest grant while others wait, in bytes. */
  static final long MAX_SHARED_GRANT = 16 * 1024;

  /** Smaller grants cost more than they carry, in bytes. */
  private static final long MIN_SHARED_GRANT = 1024;

  /** Within this time everybody who waits gets a grant, if small ones suffice. */
  private static final long ROUND_SECONDS = 2;

  /** A grant is at most what this part of a second brings. */
  private static final long GRANTS_PER_SECOND = 4;

  /** The bucket keeps what this part of a second brings. */
  private static final long DEPTHS_PER_SECOND = 20;

  /** Timers that are set for less come late. */
  private static final long MIN_DELAY_NANOS = 1_000_000;

  /** The rate may change meanwhile; and a long that is a time in nanoseconds holds 292 years. */
  private static final long MAX_DELAY_NANOS = 3_600_000_000_000L;

  private static final double NANOS = 1e9;

  private final LongSupplier nanoTime;
  private final Timer timer;

  /** Guarded by this object. */
  private final Queue<Waiting> waiting = new ArrayDeque<>();

  /** How many wait; changed by who holds the lock. */
  private final AtomicInteger waitingCount = new AtomicInteger();

  private final AtomicReference<Level> level;
  private final AtomicReference<Alarm> alarm = new AtomicReference<>(Alarm.NONE);

  /**
   * @param bytesPerSecond {@link RepositoryLimits#NO_LIMIT} for no limit
   * @param nanoTime as {@link System#nanoTime}
   * @param timer runs what waits
   */
  public TokenBucket(long bytesPerSecond, LongSupplier nanoTime, Timer timer) {
    this.nanoTime = nanoTime;
    this.timer = timer;
    this.level = new AtomicReference<>(new Level(bytesPerSecond, 0, nanoTime.getAsLong()));
  }

  /**
   * Changes the rate, for those who wait too.
   *
   * @param bytesPerSecond {@link RepositoryLimits#NO_LIMIT} for no limit
   */
  public void setRate(long bytesPerSecond) {
    level.updateAndGet(before -> before.at(nanoTime.getAsLong()).withRate(bytesPerSecond));
    grant();
  }

  /** Returns how many bytes to ask for next: at least one, and enough to be worth it. */
  public long grantLength() {
    return level.get().grantLength(waitingCount.get());
  }

  /**
   * Asks for bytes. Does not block.
   *
   * @param bytes as {@link #grantLength} says, or fewer
   * @param granted runs later, once, unless the bytes are granted at once; must not block
   * @return whether the bytes are granted at once
   */
  public boolean take(long bytes, Runnable granted) {
    synchronized (this) {
      if (waiting.isEmpty() && draw(bytes)) {
        return true;
      }
      waiting.add(new Waiting(bytes, granted));
      waitingCount.incrementAndGet();
    }
    setAlarm();
    return false;
  }

  /**
   * Takes bytes at once, or none. Nobody who waits is passed by, and nothing is overdrawn.
   *
   * @return whether they were there
   */
  private boolean takeNow(long bytes) {
    while (waitingCount.get() == 0) {
      Level before = level.get();
      Level now = before.at(nanoTime.getAsLong());
      if (!now.holds(bytes)) {
        return false;
      }
      if (level.compareAndSet(before, now.minus(bytes))) {
        return true;
      }
    }
    return false;
  }

  /** Takes bytes if they are there; overdraws the bucket if it can never hold so many. */
  private boolean draw(long bytes) {
    while (true) {
      Level before = level.get();
      Level now = before.at(nanoTime.getAsLong());
      boolean isThere = now.has(bytes);
      if (level.compareAndSet(before, isThere ? now.minus(bytes) : now)) {
        return isThere;
      }
    }
  }

  /**
   * Takes bytes from each of the buckets at once, or from none. Does not block.
   *
   * @return whether they were there
   */
  public static boolean takeNow(List<TokenBucket> buckets, long bytes) {
    for (int i = 0; i < buckets.size(); i++) {
      if (!buckets.get(i).takeNow(bytes)) {
        buckets.subList(0, i).forEach(bucket -> bucket.putBack(bytes));
        return false;
      }
    }
    return true;
  }

  private void putBack(long bytes) {
    level.updateAndGet(before -> before.minus(-bytes));
  }

  /** Returns how many wait. */
  public int waiting() {
    return waitingCount.get();
  }

  /** Serves those who wait, as far as there is something. */
  private void grant() {
    List<Waiting> served = new ArrayList<>();
    synchronized (this) {
      for (Waiting next = waiting.peek(); next != null && draw(next.bytes); next = waiting.peek()) {
        served.add(waiting.remove());
        waitingCount.decrementAndGet();
      }
    }
    setAlarm();
    served.forEach(next -> next.granted.run());
  }

  private void setAlarm() {
    Alarm next;
    long delay;
    synchronized (this) {
      Waiting first = waiting.peek();
      if (first == null) {
        return;
      }
      Level now = level.get();
      delay = now.nanosUntil(first.bytes);
      next = new Alarm(now.nanos + delay);
      if (!next.isBefore(alarm.get())) {
        return;
      }
      alarm.set(next);
    }
    timer.schedule(() -> ring(next), delay);
  }

  private void ring(Alarm rung) {
    alarm.compareAndSet(rung, Alarm.NONE);
    grant();
  }

  private record Waiting(long bytes, Runnable granted) {}

  /**
   * When the timer is set for; compared by identity.
   *
   * @param nanos of the clock
   */
  private record Alarm(long nanos) {
    static final Alarm NONE = new Alarm(0);

    @SuppressWarnings("ReferenceEquality")
    boolean isBefore(Alarm other) {
      return other == NONE || nanos - other.nanos < 0;
    }
  }

  /**
   * The bucket's content at one moment.
   *
   * @param tokens in bytes; negative while it is overdrawn
   * @param nanos of the clock, when that was so
   */
  private record Level(long rate, double tokens, long nanos) {
    Level at(long now) {
      double brought = Math.max(0, now - nanos) * (rate / NANOS);
      return new Level(rate, Math.min(tokens + brought, (double) depth()), now);
    }

    Level withRate(long newRate) {
      Level changed = new Level(newRate, tokens, nanos);
      return new Level(newRate, Math.min(tokens, (double) changed.depth()), nanos);
    }

    Level minus(long bytes) {
      return isUnlimited() ? this : new Level(rate, tokens - bytes, nanos);
    }

    /** Nobody waits for more than the bucket can hold. */
    boolean has(long bytes) {
      return isUnlimited() || tokens >= Math.min(bytes, depth());
    }

    boolean holds(long bytes) {
      return isUnlimited() || tokens >= bytes;
    }

    long nanosUntil(long bytes) {
      double missing = isUnlimited() ? 0 : Math.min(bytes, depth()) - tokens;
      double delay = Math.ceil(missing / (rate / NANOS));
      return (long) Math.clamp(delay, (double) MIN_DELAY_NANOS, (double) MAX_DELAY_NANOS);
    }

    long grantLength(int others) {
      if (isUnlimited()) {
        return MAX_GRANT;
      }
      if (others == 0) {
        return loneGrantLength();
      }
      long share = Math.max(MIN_SHARED_GRANT, rate * ROUND_SECONDS / (others + 1));
      return Math.min(loneGrantLength(), Math.min(share, MAX_SHARED_GRANT));
    }

    private long loneGrantLength() {
      return Math.clamp(rate / GRANTS_PER_SECOND, 1, MAX_GRANT);
    }

    private long depth() {
      return Math.max(loneGrantLength(), rate / DEPTHS_PER_SECOND);
    }

    private boolean isUnlimited() {
      return rate == RepositoryLimits.NO_LIMIT;
    }
  }
}
