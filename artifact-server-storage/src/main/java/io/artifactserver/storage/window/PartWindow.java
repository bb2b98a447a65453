package io.artifactserver.storage.window;

import java.util.function.IntUnaryOperator;

/** Sends uploads as parts, a few at once. Thread-safe. */
public final class PartWindow {
  private final IntUnaryOperator partLength;
  private final int maxParts;
  private final TransferBudget budget;

  /**
   * @param partLength length in bytes of the part of a number, from 1; positive
   * @param maxParts most parts of one upload in memory, counting the one that is being filled
   * @param budget of the whole process
   */
  public PartWindow(IntUnaryOperator partLength, int maxParts, TransferBudget budget) {
    this.partLength = partLength;
    this.maxParts = maxParts;
    this.budget = budget;
  }

  /** Begins an upload. No I/O. */
  public PartWriter open(PartSink sink) {
    if (budget.limit() < 1) {
      throw new IllegalArgumentException(sink.toString());
    }
    throw new UnsupportedOperationException(partLength.applyAsInt(1) + " x " + maxParts);
  }
}
