package io.artifactserver.storage.remote.window;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;

/**
 * The memory of one reader, in slots of one chunk each. Guarded by the reader's lock.
 *
 * <p>A buffer that a fetch may still write into is nobody else's, and counts.
 */
final class ChunkSlots {
  private final BufferPool buffers;
  private final TransferBudget.Share share;

  /** The length of a slot, in bytes. */
  private final int length;

  /** How many the budget has granted. */
  private int granted;

  /** How many of them have a buffer. */
  private int occupied;

  /**
   * @param onRoom run when the budget may grant more
   */
  ChunkSlots(ByteRange range, ChunkWindow settings, Runnable onRoom) {
    this.buffers = settings.buffers();
    this.length = buffers.footprint((int) Math.min(range.length(), settings.chunkLength()));
    this.share = settings.budget().join(onRoom);
  }

  /** Returns whether there is one. */
  boolean tryAcquire() {
    if (share.tryAcquire(length)) {
      granted++;
    }
    return granted > 0;
  }

  /** Asks for so many in all; returns how many there are. */
  int acquire(int wanted) {
    granted += share.acquire(Math.max(0, wanted - granted), length);
    return granted;
  }

  /** Whether more are free than are reserved. */
  boolean hasFree(int reserved) {
    return occupied < granted - reserved;
  }

  void occupy(Chunk chunk) {
    chunk.hasRoom = true;
    occupied++;
  }

  /** The buffer of a chunk that has room. Called by its fetcher, without the lock. */
  ByteBuffer buffer(Chunk chunk) {
    ByteBuffer buffer = chunk.buffer;
    if (buffer == null) {
      buffer = buffers.acquire(length).limit((int) chunk.range.length());
      chunk.buffer = buffer;
    }
    return buffer;
  }

  /** Frees the slot of a chunk for another one. */
  void vacate(Chunk chunk) {
    if (chunk.hasRoom) {
      chunk.hasRoom = false;
      occupied--;
      if (chunk.buffer != null) {
        buffers.release(chunk.buffer);
        chunk.buffer = null;
      }
    }
  }

  /** Gives one back if the head keeps one: after each chunk, so that a poorer reader gets it. */
  void shrink(boolean headHasRoom) {
    keep(Math.max(granted - 1, Math.max(1, occupied + (headHasRoom ? 0 : 1))));
  }

  /** Gives the slot of a chunk back to the budget. */
  void giveBack(Chunk chunk) {
    vacate(chunk);
    keep(occupied);
  }

  /** No more are wanted; those that are occupied are given back later. */
  void close() {
    keep(occupied);
    share.close();
  }

  private void keep(int kept) {
    if (kept < granted) {
      share.release((long) (granted - kept) * length);
      granted = kept;
    }
  }
}
