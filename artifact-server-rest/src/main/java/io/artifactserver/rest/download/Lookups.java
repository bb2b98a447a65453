package io.artifactserver.rest.download;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs what asks the database for a device or a stranger, so many at a time and so many waiting:
 * all together, and of one client. Thread-safe.
 */
final class Lookups implements AutoCloseable {
  private static final long IDLE_SECONDS = 30;

  private final int maxPerClient;
  private final Map<Object, Integer> perClient = new ConcurrentHashMap<>();
  private final ThreadPoolExecutor threads;

  /**
   * @param name of the threads
   * @param atATime as many threads; fewer than the database has connections
   * @param maxWaiting of all clients
   * @param maxPerClient that run or wait
   */
  Lookups(String name, int atATime, int maxWaiting, int maxPerClient) {
    this.maxPerClient = maxPerClient;
    this.threads =
        new ThreadPoolExecutor(
            atATime,
            atATime,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(maxWaiting),
            Thread.ofPlatform().daemon().name(name, 0).factory());
    this.threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs a lookup soon.
   *
   * @param client whom it counts for; null if nobody knows
   * @return false if there are too many
   */
  boolean run(@Nullable Object client, Runnable lookup) {
    if (client != null && perClient.merge(client, 1, Integer::sum) > maxPerClient) {
      forget(client);
      return false;
    }
    try {
      threads.execute(() -> {
        try {
          lookup.run();
        } finally {
          forget(client);
        }
      });
      return true;
    } catch (RejectedExecutionException e) {
      forget(client);
      return false;
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }

  private void forget(@Nullable Object client) {
    if (client != null) {
      perClient.computeIfPresent(client, (key, running) -> running == 1 ? null : running - 1);
    }
  }
}
