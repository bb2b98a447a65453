package io.artifactserver.core.waiting;

import java.time.Duration;
import org.awaitility.core.ThrowingRunnable;

/** Watches that something stays as it is: what must not happen cannot be waited for. */
public final class Throughout {
  private static final int LOOKS = 20;

  private Throughout() {}

  /** Fails as soon as {@code assertion} does; returns if it has passed all the time. */
  public static void throughout(Duration span, ThrowingRunnable assertion)
      throws InterruptedException {
    long begin = System.nanoTime();
    look(assertion);
    while (System.nanoTime() - begin < span.toNanos()) {
      Pacing.pause(span.dividedBy(LOOKS));
      look(assertion);
    }
  }

  private static void look(ThrowingRunnable assertion) throws InterruptedException {
    try {
      assertion.run();
    } catch (InterruptedException | RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
