package io.artifactserver.storage.s3;

import io.artifactserver.core.blob.StorageException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Remembers that the server cannot be reached, so that a request fails at once instead of holding a
 * thread through every attempt of its own. One request after each pause tries for all. Thread-safe.
 *
 * <p>A request that failed while others were answered says nothing of the server: its own
 * connections broke, or it found none free.
 */
final class Outage {
  /** How long nobody tries after a failure. */
  static final Duration PAUSE = Duration.ofSeconds(1);

  private final LongSupplier nanoClock;
  private volatile boolean isDown;

  /** When the server last answered; before the first answer, long ago. */
  private volatile long answeredAt;

  private long retryAt;
  private boolean isProbing;

  Outage(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    this.answeredAt = nanoClock.getAsLong() - 1;
  }

  /**
   * Lets a request pass while the server is there, as far as is known, and one a pause while it is
   * not. Whoever passes says how it went.
   *
   * @return when the request began, for {@link #failed}
   * @throws StorageException if the request need not be tried
   */
  long pass() throws StorageException {
    long now = nanoClock.getAsLong();
    if (isDown) {
      synchronized (this) {
        if (isDown && (isProbing || now - retryAt < 0)) {
          throw new StorageException.StorageUnavailable(
              S3BlobStore.NAME, "it did not answer a moment ago, and is tried again soon", null);
        }
        isProbing = isDown;
      }
    }
    return now;
  }

  /** Whether the server was not reached when it was last tried. */
  boolean isDown() {
    return isDown;
  }

  /** The server answered, whatever it said. */
  void answered() {
    answeredAt = nanoClock.getAsLong();
    if (isDown) {
      synchronized (this) {
        isDown = false;
        isProbing = false;
      }
    }
  }

  /**
   * The server was not reached.
   *
   * @param begun when the request passed
   */
  synchronized void failed(long begun) {
    if (answeredAt - begun < 0) {
      isDown = true;
      isProbing = false;
      retryAt = nanoClock.getAsLong() + PAUSE.toNanos();
    }
  }

  /** The request was given up by whoever made it, and tells nothing. */
  synchronized void unknown() {
    isProbing = false;
  }
}
