package io.artifactserver.core.waiting;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The pace of a test's clients, and how long its attacks last. A test that waits for something to
 * happen waits for just that, with {@link Eventually}; that nothing happens is for {@link
 * Throughout}.
 */
public final class Pacing {
  private static final CountDownLatch NEVER = new CountDownLatch(1);

  private Pacing() {}

  /** Returns when the time is over. */
  public static void pause(Duration length) throws InterruptedException {
    if (NEVER.await(length.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new IllegalStateException("Nobody counts it down");
    }
  }
}
