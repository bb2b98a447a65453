package io.artifactserver.storage.s3;

import io.artifactserver.core.blob.StorageException;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Remembers that the server cannot be reached, so that a request fails at once instead of holding a
 * thread through every attempt of its own. One request after each pause tries for all. Thread-safe.
 */
final class Outage {
  /** How long nobody tries after a failure. */
  static final Duration PAUSE = Duration.ofSeconds(1);

  private final LongSupplier nanoClock;
  private volatile boolean isDown;
  private long retryAt;
  private boolean isProbing;

  Outage(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * Lets a request pass while the server is there, as far as is known, and one a pause while it is
   * not. Whoever passes says how it went.
   *
   * @throws StorageException if the request need not be tried
   */
  void pass() throws StorageException {
    if (isDown) {
      synchronized (this) {
        if (isDown && (isProbing || nanoClock.getAsLong() - retryAt < 0)) {
          throw new StorageException.StorageUnavailable(
              S3BlobStore.NAME, "it did not answer a moment ago, and is tried again soon", null);
        }
        isProbing = isDown;
      }
    }
  }

  /** The server answered, whatever it said. */
  void answered() {
    if (isDown) {
      synchronized (this) {
        isDown = false;
        isProbing = false;
      }
    }
  }

  /** The server was not reached. */
  synchronized void failed() {
    isDown = true;
    isProbing = false;
    retryAt = nanoClock.getAsLong() + PAUSE.toNanos();
  }

  /** The request was given up by whoever made it, and tells nothing. */
  synchronized void unknown() {
    isProbing = false;
  }
}
