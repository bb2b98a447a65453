package io.artifactserver.rest.engine;

import java.util.Comparator;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Who works for connections that have not asked for anything yet: the steps of their handshakes,
 * and the head of their first request. The selector's own thread does it in its {@link Turns},
 * because to wake another one costs as much as a step of a resumed handshake. What comes in between
 * has threads of its own, as many as there are cores, and so has all that comes as long as
 * something waits for those: a storm makes newcomers wait, and not the downloads of a selector.
 *
 * <p>The connection that has sent least is served first, and among equals the one that waits
 * longest. So a client that sends a short head waits for none of those that go on and on with long
 * ones, however many these are. Thread-safe.
 */
final class Newcomers {
  private static final long IDLE_SECONDS = 30;

  /** Those that wait are connections, which are bounded. */
  private final ThreadPoolExecutor threads;

  /** Steps that run on those threads, or wait for one. */
  private final AtomicInteger handedOn = new AtomicInteger();

  /** Steps that were ever handed on. */
  private final AtomicLong count = new AtomicLong();

  private final Turns turns;

  Newcomers() {
    this(new Turns(), Runtime.getRuntime().availableProcessors());
  }

  Newcomers(Turns turns, int threads) {
    this.turns = turns;
    this.threads =
        new ThreadPoolExecutor(
            threads,
            threads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new PriorityBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("newcomer-", 0).factory());
    this.threads.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs a step now, or soon.
   *
   * @param received what the connection has sent before, in bytes
   * @return the step, to be forgotten when the connection ends; null if it has run
   */
  @Nullable Step run(long received, Runnable step) {
    return handedOn.get() == 0 && turns.run(step) ? null : handOn(received, step);
  }

  /** Runs it on a thread of its own, when no newcomer waits. */
  void runLast(Runnable step) {
    Step _ = handOn(Long.MAX_VALUE, step);
  }

  private Step handOn(long received, Runnable step) {
    handedOn.incrementAndGet();
    Step waiting = new Step(received, count.incrementAndGet(), step);
    threads.execute(waiting);
    return waiting;
  }

  /** What a connection waits for. Ordered by who comes first. */
  final class Step implements Runnable, Comparable<Step> {
    private static final Comparator<Step> FIRST =
        Comparator.<Step>comparingLong(step -> step.received)
            .thenComparingLong(step -> step.number);

    private final long received;
    private final long number;
    private volatile @Nullable Runnable task;

    private Step(long received, long number, Runnable task) {
      this.received = received;
      this.number = number;
      this.task = task;
    }

    @Override
    public void run() {
      try {
        Runnable wanted = task;
        if (wanted != null) {
          wanted.run();
        }
      } finally {
        handedOn.decrementAndGet();
      }
    }

    /** Nobody needs it any more. What its connection holds is not held for it. */
    void forget() {
      task = null;
    }

    @Override
    public int compareTo(Step other) {
      return FIRST.compare(this, other);
    }
  }
}
