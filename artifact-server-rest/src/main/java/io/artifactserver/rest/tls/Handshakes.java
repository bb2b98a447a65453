package io.artifactserver.rest.tls;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Who computes the steps of handshakes: the selector's own thread, for at most half of its time,
 * because to wake another one costs as much as the step of a resumed handshake. What comes in
 * between has threads of its own, as many as there are cores, and so has all that comes as long as
 * something waits for those: a storm makes newcomers wait, and not the downloads of a selector.
 * Thread-safe.
 */
final class Handshakes {
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
          Thread.ofPlatform().daemon().name("handshake-", 0).factory());

  /** Steps that run on those threads, or wait for one. */
  private final AtomicInteger handedOn = new AtomicInteger();

  private final LongSupplier nanoTime;

  /** When each thread may compute a step itself again. */
  private final ThreadLocal<AtomicLong> turns;

  Handshakes() {
    this(System::nanoTime);
  }

  Handshakes(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.turns = ThreadLocal.withInitial(() -> new AtomicLong(nanoTime.getAsLong()));
    threads.allowCoreThreadTimeOut(true);
  }

  /** Runs a step now, or soon. */
  void run(Runnable step) {
    AtomicLong turn = turns.get();
    long begin = nanoTime.getAsLong();
    if (handedOn.get() == 0 && begin - turn.get() >= 0) {
      try {
        step.run();
      } finally {
        long end = nanoTime.getAsLong();
        turn.set(end + (end - begin));
      }
    } else {
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
