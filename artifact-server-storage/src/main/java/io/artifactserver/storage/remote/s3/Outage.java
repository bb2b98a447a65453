package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.StorageException;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Remembers that the server cannot be reached, so that a request fails at once instead of holding a
 * thread through every attempt of its own. After each pause, the next request starts a probe, which
 * no reader can cancel. Thread-safe.
 *
 * <p>A request that failed while others were answered says nothing of the server: its own
 * connections broke, or it found none free.
 */
final class Outage {
  /** How long nobody tries after a failure. */
  static final Duration PAUSE = Duration.ofSeconds(1);

  private final LongSupplier nanoClock;
  private final Executor prober;
  private final BooleanSupplier probe;
  private volatile boolean isDown;

  /** When the server last answered; before the first answer, long ago. */
  private volatile long answeredAt;

  private long retryAt;
  private boolean isProbing;

  /**
   * @param prober runs the probe, on another thread
   * @param probe asks the server once, and returns whether it answered
   */
  Outage(LongSupplier nanoClock, Executor prober, BooleanSupplier probe) {
    this.nanoClock = nanoClock;
    this.prober = prober;
    this.probe = probe;
    this.answeredAt = nanoClock.getAsLong() - 1;
  }

  /**
   * Lets a request pass while the server is there, as far as is known.
   *
   * @return when the request began, for {@link #failed}
   * @throws StorageException if the request need not be tried
   */
  long pass() throws StorageException {
    long now = nanoClock.getAsLong();
    if (isDown) {
      if (beginsProbe(now)) {
        prober.execute(this::probe);
      }
      if (isDown) {
        throw new StorageException.StorageUnavailable(
            S3BlobStore.NAME, "it did not answer a moment ago; trying again soon", null);
      }
    }
    return now;
  }

  /** The server answered, whatever it said. */
  void answered() {
    answeredAt = nanoClock.getAsLong();
    isDown = false;
  }

  /**
   * The server was not reached.
   *
   * @param begun when the request passed
   */
  synchronized void failed(long begun) {
    if (answeredAt - begun < 0) {
      isDown = true;
      retryAt = nanoClock.getAsLong() + PAUSE.toNanos();
    }
  }

  private synchronized boolean beginsProbe(long now) {
    boolean begins = isDown && !isProbing && now - retryAt >= 0;
    isProbing |= begins;
    return begins;
  }

  private void probe() {
    long begun = nanoClock.getAsLong();
    try {
      if (probe.getAsBoolean()) {
        answered();
      } else {
        failed(begun);
      }
    } finally {
      synchronized (this) {
        isProbing = false;
      }
    }
  }
}
