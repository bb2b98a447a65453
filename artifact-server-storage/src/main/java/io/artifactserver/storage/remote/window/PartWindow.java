package io.artifactserver.storage.remote.window;

import java.util.function.IntUnaryOperator;

/**
 * Sends uploads as parts, several at once. Thread-safe.
 *
 * <p>At most the window's parts of an upload are in memory, counting the one that is being filled,
 * and whoever writes waits when there are as many.
 */
public final class PartWindow {
  private final IntUnaryOperator partLength;
  private final int maxParts;
  private final TransferBudget budget;
  private final BufferPool buffers;

  /**
   * @param partLength length in bytes of the part of a number, from 1; positive. Only the last part
   *     of an upload may be shorter.
   * @param maxParts the window: most parts of one upload in memory, at least 1, which sends one
   *     part after the other
   * @param budget of the whole process
   */
  public PartWindow(IntUnaryOperator partLength, int maxParts, TransferBudget budget) {
    if (maxParts < 1) {
      throw new IllegalArgumentException("A window of %d parts".formatted(maxParts));
    }
    this.partLength = partLength;
    this.maxParts = maxParts;
    this.budget = budget;
    this.buffers = new BufferPool(partLength.applyAsInt(1), maxParts);
  }

  /** Begins an upload; the caller closes the writer. No I/O. */
  public PartWriter open(PartSink sink) {
    return open(sink, 0);
  }

  /**
   * As the other method, for an upload that goes on.
   *
   * @param sentParts parts that are sent already
   */
  public PartWriter open(PartSink sink, int sentParts) {
    return new PartWriter(sink, this, sentParts);
  }

  int partLength(int number) {
    return partLength.applyAsInt(number);
  }

  int maxParts() {
    return maxParts;
  }

  TransferBudget budget() {
    return budget;
  }

  BufferPool buffers() {
    return buffers;
  }
}
