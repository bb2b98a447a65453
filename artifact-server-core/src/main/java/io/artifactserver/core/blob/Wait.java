package io.artifactserver.core.blob;

/** The slowest thing that a call may wait for, which decides which threads may make it. */
public enum Wait {
  /** The call waits for nothing, and costs no more than copying or decrypting bytes in memory. */
  NONE,

  /** The call may wait for another process. A virtual thread gives way while it does. */
  REMOTE,

  /**
   * The call may wait for a local disk, which occupies the carrier of a virtual thread: it is for
   * platform threads.
   */
  DISK;

  /** The wait of two calls that one thread makes. */
  public Wait and(Wait other) {
    return compareTo(other) < 0 ? other : this;
  }
}
