package io.artifactserver.rest.download;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs what asks the database for a device or a stranger, so many at a time and so many waiting:
 * all together, and of one client. A client that asks again and again for what is not there waits
 * in between, so that its misses come in at a steady rate, whatever the number of its connections;
 * a refusal would only make it ask sooner. Thread-safe.
 */
final class Lookups implements AutoCloseable {
  private static final long IDLE_SECONDS = 30;

  /** Misses of a client that are not slowed down, as when it has just been switched on. */
  private static final int BURST = 100;

  private final int max;
  private final int maxPerClient;
  private final long missNanos;
  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor delays;

  /** Guarded by this object, with all that is in it; and so is {@link #running}. */
  private final Map<Object, Client> clients = new HashMap<>();

  private int running;

  /**
   * @param name of the threads
   * @param atATime as many threads; fewer than the database has connections
   * @param maxWaiting of all clients
   * @param maxPerClient that run or wait
   * @param perMiss how long a client waits for each miss
   */
  Lookups(String name, int atATime, int maxWaiting, int maxPerClient, Duration perMiss) {
    this.max = atATime + maxWaiting;
    this.maxPerClient = maxPerClient;
    this.missNanos = perMiss.toNanos();
    this.threads =
        new ThreadPoolExecutor(
            atATime,
            atATime,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name(name, 0).factory());
    this.threads.allowCoreThreadTimeOut(true);
    this.delays =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name(name + "delay").factory());
  }

  /**
   * Runs a lookup soon.
   *
   * @param client whom it counts for; null if nobody knows
   * @param lookup returns whether it found something
   * @return false if there are too many
   */
  boolean run(@Nullable Object client, BooleanSupplier lookup) {
    long delay = admit(client);
    if (delay < 0) {
      return false;
    }
    Runnable task =
        () -> {
          boolean isFound = false;
          try {
            isFound = lookup.getAsBoolean();
          } finally {
            ended(client, isFound);
          }
        };
    try {
      if (delay == 0) {
        threads.execute(task);
      } else {
        var _ = delays.schedule(() -> threads.execute(task), delay, TimeUnit.NANOSECONDS);
      }
      return true;
    } catch (RejectedExecutionException e) {
      // Closed.
      ended(client, true);
      return false;
    }
  }

  /** How many run or wait. */
  synchronized int running() {
    return running;
  }

  @Override
  public void close() {
    delays.shutdownNow();
    threads.shutdownNow();
  }

  /** Returns how long the lookup waits, in nanoseconds; negative if there are too many. */
  private synchronized long admit(@Nullable Object name) {
    if (running >= max) {
      return -1;
    }
    long delay = 0;
    if (name != null) {
      Client client = clients.computeIfAbsent(name, _ -> new Client(System.nanoTime()));
      if (client.running >= maxPerClient) {
        return -1;
      }
      client.running++;
      delay = client.reserve(System.nanoTime());
    }
    running++;
    return delay;
  }

  private synchronized void ended(@Nullable Object name, boolean isFound) {
    running--;
    if (name == null) {
      return;
    }
    Client client = clients.get(name);
    if (client != null) {
      client.running--;
      if (isFound) {
        client.paidUntil -= missNanos;
      }
      forgetIfIdle(name);
    }
  }

  /** Who has misses to wait for is remembered until then. */
  private synchronized void forgetIfIdle(Object name) {
    Client client = clients.get(name);
    if (client != null && client.running == 0) {
      long rest = client.paidUntil - System.nanoTime();
      if (rest <= 0 || delays.isShutdown()) {
        clients.remove(name);
      } else {
        var _ = delays.schedule(() -> forgetIfIdle(name), rest, TimeUnit.NANOSECONDS);
      }
    }
  }

  /** Guarded by the lookups. */
  private final class Client {
    private int running;

    /** When all misses are paid for with time. */
    private long paidUntil;

    private Client(long now) {
      this.paidUntil = now;
    }

    /** A lookup is a miss until it is known to be none. Returns how long it waits. */
    private long reserve(long now) {
      if (paidUntil - now < 0) {
        paidUntil = now;
      }
      long delay = Math.max(0, paidUntil - now - BURST * missNanos);
      paidUntil += missNanos;
      return delay;
    }
  }
}
