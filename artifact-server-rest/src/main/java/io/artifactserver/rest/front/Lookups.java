package io.artifactserver.rest.front;

import io.artifactserver.core.limit.FairQueue;
import io.artifactserver.core.thread.DaemonThreads;
import io.artifactserver.rest.access.Authentication;
import io.artifactserver.rest.access.Authenticator;
import io.artifactserver.rest.access.Credentials;
import io.artifactserver.rest.access.Sender;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Runs what asks the database for a device or a stranger, so many at a time and so many waiting:
 * all together, and of one client, which has no more than it leaves to others. Known callers and
 * strangers have places of their own, and take turns for the threads, so that no flood of strangers
 * keeps a device with a good token out. A client that asks again and again for what is not there
 * waits in between, so that its misses come in at a steady rate, whatever the number of its
 * connections; a refusal would only make it ask sooner. Thread-safe.
 */
public final class Lookups implements AutoCloseable {
  /** A client's misses come in at 500 a second: a fifth of a core, database included. */
  public static final Duration PER_MISS = Duration.ofMillis(2);

  /** Misses of a client that are not slowed down, as when it has just been switched on. */
  private static final int BURST = 100;

  private final int max;
  private final int maxPerClient;
  private final long missNanos;
  private final ThreadPoolExecutor threads;
  private final ScheduledThreadPoolExecutor delays;

  /** Guarded by this object, with all that is in it; and so are the lines. */
  private final Map<Object, Client> clients = new HashMap<>();

  private final Line known = new Line();
  private final Line strangers = new Line();
  private boolean isTurnOfStrangers;

  /**
   * @param name of the threads
   * @param atATime as many threads; fewer than the database has connections
   * @param maxWaiting of all known clients, and of all strangers
   * @param maxPerClient that run or wait
   * @param perMiss how long a client waits for each miss
   */
  public Lookups(String name, int atATime, int maxWaiting, int maxPerClient, Duration perMiss) {
    this.max = atATime + maxWaiting;
    this.maxPerClient = maxPerClient;
    this.missNanos = perMiss.toNanos();
    this.threads = DaemonThreads.pool(name, atATime);
    this.delays =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name(name + "delay").factory());
  }

  /**
   * Runs a lookup soon.
   *
   * @param sender whom it counts for
   * @param lookup returns whether it found something
   * @return false if there are too many
   */
  public boolean run(Sender sender, BooleanSupplier lookup) {
    @Nullable Object client = sender.account();
    Line line = sender.isKnown() ? known : strangers;
    long delay = admit(client, line);
    if (delay < 0) {
      return false;
    }
    Runnable task =
        () -> {
          boolean isFound = false;
          try {
            isFound = lookup.getAsBoolean();
          } finally {
            ended(client, line, isFound);
          }
        };
    try {
      if (delay == 0) {
        execute(client, line, task);
      } else {
        var _ = delays.schedule(() -> execute(client, line, task), delay, TimeUnit.NANOSECONDS);
      }
      return true;
    } catch (RejectedExecutionException e) {
      // Closed.
      ended(client, line, true);
      return false;
    }
  }

  /**
   * Asks the database, soon, who has sent credentials.
   *
   * @param client that answers for wrong secrets; null if nobody does
   * @param then is told, and returns whether the question was not in vain
   * @return false if there are too many
   */
  public boolean authenticate(
      Authenticator authenticator,
      Credentials credentials,
      @Nullable Object client,
      Predicate<Authentication> then) {
    return run(
        authenticator.sender(credentials, client),
        () -> then.test(authenticator.tryToAuthenticate(credentials, client)));
  }

  private void execute(@Nullable Object client, Line line, Runnable task) {
    synchronized (this) {
      // Of whom nothing is known, each is one of its own.
      line.ready.add(client == null ? task : client, task);
    }
    threads.execute(this::runNext);
  }

  private void runNext() {
    Runnable task;
    synchronized (this) {
      Line turn = isTurnOfStrangers ? strangers : known;
      Line other = isTurnOfStrangers ? known : strangers;
      isTurnOfStrangers = !isTurnOfStrangers;
      // As many tasks as calls of this method, so one of the two has one.
      task = turn.ready.poll().or(other.ready::poll).orElseThrow();
    }
    task.run();
  }

  /** How many run or wait. */
  synchronized int running() {
    return known.running + strangers.running;
  }

  @Override
  public void close() {
    delays.shutdownNow();
    threads.shutdownNow();
  }

  /** Returns how long the lookup waits, in nanoseconds; negative if there are too many. */
  private synchronized long admit(@Nullable Object name, Line line) {
    if (line.running >= max) {
      return -1;
    }
    long delay = 0;
    if (name != null) {
      Client client = clients.computeIfAbsent(name, _ -> new Client(System.nanoTime()));
      // As many are left to others as it has: a few clients cannot take all.
      if (client.running >= Math.min(maxPerClient, max - line.running)) {
        forgetIfIdle(name);
        return -1;
      }
      client.running++;
      delay = client.reserve(System.nanoTime());
    }
    line.running++;
    return delay;
  }

  private synchronized void ended(@Nullable Object name, Line line, boolean isFound) {
    line.running--;
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

  /** A client that has misses to wait for is remembered until then. */
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

  /** The lookups of known callers, or those of strangers. Guarded by the lookups. */
  private static final class Line {
    private final FairQueue<Object, Runnable> ready = FairQueue.inOrder();
    private int running;
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
