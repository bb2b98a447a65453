package io.artifactserver.core.waiting;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.awaitility.core.ConditionTimeoutException;
import org.awaitility.core.ThrowingRunnable;

/**
 * Waits for what other threads or processes do. The limit is for what never comes: it is far longer
 * than anything takes on a busy machine, and no test measures time with it.
 */
public final class Eventually {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration INTERVAL = Duration.ofMillis(2);

  /** At a value that is to settle. */
  private static final int LOOKS = 5;

  private Eventually() {}

  /** Returns once {@code isSo} returns true; fails if it has not after two minutes. */
  public static void eventually(String what, Callable<Boolean> isSo) {
    await(what).until(isSo);
  }

  /** Returns once {@code assertion} passes; fails as it fails after two minutes. */
  public static void eventuallyPasses(String what, ThrowingRunnable assertion) {
    await(what).untilAsserted(assertion);
  }

  /** Returns whether {@code isSo} returned true within the limit; looks a hundred times or less. */
  public static boolean isSoWithin(Duration limit, Callable<Boolean> isSo) {
    try {
      Awaitility.await()
          .pollInSameThread()
          .pollDelay(Duration.ZERO)
          .pollInterval(limit.dividedBy(100))
          .atMost(limit)
          .until(isSo);
      return true;
    } catch (ConditionTimeoutException e) {
      return false;
    }
  }

  /** Returns the value once it has not changed for the span; fails if it still does. */
  public static <T> T settled(String what, Duration span, Callable<T> value) {
    AtomicReference<T> last = new AtomicReference<>();
    AtomicLong since = new AtomicLong();
    await(what)
        .pollInterval(span.dividedBy(LOOKS))
        .until(() -> {
          T now = value.call();
          if (!now.equals(last.getAndSet(now))) {
            since.set(System.nanoTime());
          }
          return System.nanoTime() - since.get() >= span.toNanos();
        });
    return last.get();
  }

  private static ConditionFactory await(String what) {
    return Awaitility.await(what)
        .pollInSameThread()
        .pollDelay(Duration.ZERO)
        .pollInterval(INTERVAL)
        .atMost(LIMIT);
  }
}
