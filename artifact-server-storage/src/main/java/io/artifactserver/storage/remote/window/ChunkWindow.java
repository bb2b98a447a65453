package io.artifactserver.storage.remote.window;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.time.Duration;

/**
 * Reads ranges as chunks that are fetched ahead, several at once, and delivered in order.
 * Thread-safe.
 *
 * <p>Two bounds hold for each reader: at most the window's chunks are in flight, counting the first
 * missing one, and at most as many occupy memory, whether they are filled, queue up or are being
 * read. A fetch under way counts as memory from when its backend begins to answer.
 *
 * <p>The window adapts. It opens with {@value #OPENING_LENGTH} bytes, doubles when a reader that
 * has taken a chunk waits for the next, and loses a chunk when all that was fetched queues up.
 * While the reader keeps up, what is in flight and what queues up share the window; only while it
 * waits is every chunk that queues up behind the missing one replaced by another in flight.
 */
public final class ChunkWindow {
  /**
   * Fetched before it is known whether the reader wants more, in bytes: enough for 16 small chunks,
   * little to lose for a client that takes one look and leaves. Guarded by
   * ChunkedTransferBenchmark.
   */
  static final int OPENING_LENGTH = 4 << 20;

  /** How long a fetch whose backend answers waits for a reader that has become slow. */
  private static final Duration STALL = Duration.ofSeconds(5);

  private final int chunkLength;
  private final int maxChunks;
  private final TransferBudget budget;
  private final BufferPool buffers;
  private final Duration stall;

  /**
   * @param chunkLength in bytes, positive
   * @param maxChunks the window: most chunks of one reader in flight, and in memory; at least 1,
   *     which reads nothing ahead
   * @param budget of the whole process
   */
  public ChunkWindow(int chunkLength, int maxChunks, TransferBudget budget) {
    this(chunkLength, maxChunks, budget, STALL);
  }

  ChunkWindow(int chunkLength, int maxChunks, TransferBudget budget, Duration stall) {
    if (chunkLength < 1 || maxChunks < 1) {
      throw new IllegalArgumentException(
          "A window of %d chunks of %d bytes".formatted(maxChunks, chunkLength));
    }
    this.chunkLength = chunkLength;
    this.maxChunks = maxChunks;
    this.budget = budget;
    this.buffers = new BufferPool(chunkLength, maxChunks);
    this.stall = stall;
  }

  /**
   * Opens a range and waits for its first bytes; the caller closes the reader. A range of up to one
   * chunk is one fetch of just that range, which the calling thread asks for and then reads as it
   * comes, until it {@linkplain RangeReader#rest rests}; an empty one is none.
   *
   * @throws StorageException if the first chunk, or one fetched with it, cannot be had
   */
  public RangeReader open(ByteRange range, ChunkSource source) throws StorageException {
    ChunkReader reader = new ChunkReader(range, source, this);
    try {
      reader.begin();
      return reader;
    } catch (Throwable e) {
      reader.close();
      throw e;
    }
  }

  int chunkLength() {
    return chunkLength;
  }

  int maxChunks() {
    return maxChunks;
  }

  /** How many chunks a reader begins with. */
  int openingChunks() {
    return Math.min(maxChunks, Math.max(2, OPENING_LENGTH / chunkLength));
  }

  TransferBudget budget() {
    return budget;
  }

  BufferPool buffers() {
    return buffers;
  }

  Duration stall() {
    return stall;
  }
}
