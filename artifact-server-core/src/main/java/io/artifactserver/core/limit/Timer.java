package io.artifactserver.core.limit;

/** Runs a task later. Thread-safe. */
@FunctionalInterface
public interface Timer {
  /**
   * Runs the task once, on a thread of the timer's. Does not block.
   *
   * @param delayNanos from now
   */
  void schedule(Runnable task, long delayNanos);
}
