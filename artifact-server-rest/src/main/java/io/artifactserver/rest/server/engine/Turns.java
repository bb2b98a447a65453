package io.artifactserver.rest.server.engine;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Lets a selector's thread work itself instead of waking another one: a step at a time, and the
 * next one only after as long as that took. So at least half of its time is left to its other
 * connections. Thread-safe.
 */
public final class Turns {
  private final LongSupplier nanoTime;

  /** When each thread has its next turn. */
  private final ThreadLocal<AtomicLong> next;

  /**
   * @param nanoTime the time, in nanoseconds since some moment
   */
  public Turns(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.next = ThreadLocal.withInitial(() -> new AtomicLong(nanoTime.getAsLong()));
  }

  /**
   * Runs a step if it is the calling thread's turn.
   *
   * @return whether it was
   */
  public boolean run(Runnable step) {
    AtomicLong turn = next.get();
    long begin = nanoTime.getAsLong();
    if (begin - turn.get() < 0) {
      return false;
    }
    try {
      step.run();
    } finally {
      long end = nanoTime.getAsLong();
      turn.set(end + (end - begin));
    }
    return true;
  }
}
