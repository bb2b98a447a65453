package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees within a second that the embedded server has died, and starts it again; after a failure it
 * waits longer each time. Thread-safe.
 */
final class PostmasterWatch implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostmasterWatch.class);
  private static final long MIN_PAUSE_MILLIS = 1_000;
  private static final long MAX_PAUSE_MILLIS = 30_000;

  private final Postmaster postmaster;
  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread thread;
  private volatile boolean isRunning = true;

  PostmasterWatch(Postmaster postmaster) {
    this.postmaster = postmaster;
    this.thread = Thread.ofPlatform().daemon().name("postgres-watch").start(this::run);
  }

  /** As far as the watch knows. No I/O. */
  boolean isRunning() {
    return isRunning;
  }

  /** Watches no longer; waits until a start that is under way has ended. */
  @Override
  public void close() {
    closed.countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    try {
      long pause = MIN_PAUSE_MILLIS;
      while (!closed.await(pause, TimeUnit.MILLISECONDS)) {
        pause = check() ? MIN_PAUSE_MILLIS : Math.min(2 * pause, MAX_PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns whether the server runs now. */
  private boolean check() {
    try {
      if (postmaster.isAlive()) {
        return true;
      }
      if (isRunning) {
        isRunning = false;
        LOG.error("{} died; restarting it", postmaster);
      }
      postmaster.restart();
      isRunning = true;
      LOG.info("{} runs again", postmaster);
      return true;
    } catch (IOException | RuntimeException e) {
      // Nobody else would start the server again, so any failure is tried again.
      LOG.error("{} does not start: {}. Trying again.", postmaster, e.getMessage());
      return false;
    }
  }
}
