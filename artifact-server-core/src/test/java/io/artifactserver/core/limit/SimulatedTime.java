package io.artifactserver.core.limit;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.function.LongSupplier;

/** A clock and a timer that go as fast as the test runs. Used by one thread. */
final class SimulatedTime implements LongSupplier, Timer {
  private static final long SECOND = 1_000_000_000L;

  private final PriorityQueue<Task> tasks =
      new PriorityQueue<>(Comparator.comparingLong(Task::nanos).thenComparingLong(Task::order));

  /** Near the end of its numbers, as the real clock may be. */
  private long now = Long.MAX_VALUE - SECOND;

  private final long begin = now;
  private long order;

  @Override
  public long getAsLong() {
    return now;
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    tasks.add(new Task(now - begin + delayNanos, order++, task));
  }

  /** Runs what is due within the time. */
  void pass(double seconds) {
    long end = now - begin + (long) (seconds * SECOND);
    while (!tasks.isEmpty() && tasks.peek().nanos <= end) {
      Task next = tasks.remove();
      now = begin + next.nanos;
      next.work.run();
    }
    now = begin + end;
  }

  /** Returns the seconds since the beginning. */
  double seconds() {
    return (double) (now - begin) / SECOND;
  }

  private record Task(long nanos, long order, Runnable work) {}
}
