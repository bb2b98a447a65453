package io.artifactserver.rest.api.limit;

import io.artifactserver.core.limit.Timer;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Wakes downloads that wait for their limit, and sends what they have waited for. One timer does
 * for all downloads of a repository. Thread-safe.
 */
public final class PaceThreads implements Timer, Executor, AutoCloseable {
  private final ScheduledThreadPoolExecutor threads =
      new ScheduledThreadPoolExecutor(
          Runtime.getRuntime().availableProcessors(),
          Thread.ofPlatform().daemon().name("pace-", 0).factory());

  @Override
  public void schedule(Runnable task, long delayNanos) {
    var _ = threads.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  /** Tasks that still wait are never woken. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
