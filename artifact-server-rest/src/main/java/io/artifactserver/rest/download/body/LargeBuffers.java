package io.artifactserver.rest.download.body;

import java.util.concurrent.Semaphore;

/**
 * How many bodies may have a large buffer at a time: enough for all that are written at full speed,
 * and a bound on what thousands of slow clients, each in the middle of a piece, can hold. The
 * others get small ones. Thread-safe.
 */
public final class LargeBuffers {
  /** The length of a large buffer, in bytes: as long as the segments of encrypted blobs. */
  static final int LENGTH = 64 * 1024;

  /** The length of a small buffer, in bytes. */
  static final int SMALL_LENGTH = 8 * 1024;

  private final Semaphore places;

  /**
   * @param places large buffers at a time
   */
  public LargeBuffers(int places) {
    this.places = new Semaphore(places);
  }

  /** Takes a place if there is one; given back by {@link #release}. Does not block. */
  boolean tryAcquire() {
    return places.tryAcquire();
  }

  void release() {
    places.release();
  }
}
