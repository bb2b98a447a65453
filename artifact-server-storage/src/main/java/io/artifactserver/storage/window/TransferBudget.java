package io.artifactserver.storage.window;

/** Memory for chunks and parts in the whole process, in bytes. Thread-safe. */
public final class TransferBudget {
  private final long limit;

  /**
   * @param limit in bytes, positive
   */
  public TransferBudget(long limit) {
    this.limit = limit;
  }

  /** The limit in bytes. */
  public long limit() {
    return limit;
  }

  /** What is in use now, in bytes. */
  public long used() {
    return 0;
  }
}
