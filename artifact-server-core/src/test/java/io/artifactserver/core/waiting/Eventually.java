package io.artifactserver.core.waiting;

import java.time.Duration;
import java.util.concurrent.Callable;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ThrowingRunnable;

/**
 * Waits for what other threads or processes do. The limit is for what never comes: it is far longer
 * than anything takes on a busy machine, and no test measures time with it.
 */
public final class Eventually {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration INTERVAL = Duration.ofMillis(2);

  private Eventually() {}

  /** Returns once {@code isSo} returns true; fails if it has not after two minutes. */
  public static void eventually(String what, Callable<Boolean> isSo) {
    await(what).until(isSo);
  }

  /** Returns once {@code assertion} passes; fails as it fails after two minutes. */
  public static void eventuallyPasses(String what, ThrowingRunnable assertion) {
    await(what).untilAsserted(assertion);
  }

  private static ConditionFactory await(String what) {
    return Awaitility.await(what)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(INTERVAL)
        .atMost(LIMIT);
  }
}
