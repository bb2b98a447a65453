package io.artifactserver.rest.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Who works for connections that have not asked for anything yet: the steps of their handshakes,
 * and the head of their first request. The selector's own thread does it in its {@link Turns},
 * because to wake another one costs as much as a step of a resumed handshake. What comes in between
 * has threads of its own, as many as there are cores, and so has all that comes as long as
 * something waits for those: a storm makes newcomers wait, and not the downloads of a selector.
 * Thread-safe.
 */
final class Newcomers {
  private static final int THREADS = Runtime.getRuntime().availableProcessors();
  private static final long IDLE_SECONDS = 30;

  /** Those that wait are connections, which are bounded. */
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          Thread.ofPlatform().daemon().name("newcomer-", 0).factory());

  /** Steps that run on those threads, or wait for one. */
  private final AtomicInteger handedOn = new AtomicInteger();

  private final Turns turns;

  Newcomers() {
    this(new Turns());
  }

  Newcomers(Turns turns) {
    this.turns = turns;
    threads.allowCoreThreadTimeOut(true);
  }

  /** Runs a step now, or soon. */
  void run(Runnable step) {
    if (handedOn.get() > 0 || !turns.run(step)) {
      handedOn.incrementAndGet();
      threads.execute(() -> {
        try {
          step.run();
        } finally {
          handedOn.decrementAndGet();
        }
      });
    }
  }
}
