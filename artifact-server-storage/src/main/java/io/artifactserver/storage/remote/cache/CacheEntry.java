package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/**
 * Which pieces of one blob are there, and who waits for the others. Thread-safe.
 *
 * <p>A piece is <em>present</em> when its bytes were written or verified by this process, and
 * <em>stored</em> when the file has bytes of it that another process wrote. It is claimed by one
 * fetch at a time, so that its bytes are fetched once whoever asks.
 */
final class CacheEntry {
  /** How many pieces behind the one that a reader is at are asked for. */
  static final int READ_AHEAD = 16;

  /** After the disk refused a piece, this entry is served past the cache for so long. */
  static final Duration PAUSE = Duration.ofSeconds(5);

  private static final CompletableFuture<Boolean> PRESENT = CompletableFuture.completedFuture(true);
  private static final CompletableFuture<Boolean> ABSENT = CompletableFuture.completedFuture(false);

  private final CacheFile file;
  private final boolean fillsWhole;
  private final InstantSource clock;
  private final BitSet present = new BitSet();
  private final BitSet stored = new BitSet();
  private final PieceQueue queue = new PieceQueue();
  private final Map<Integer, CompletableFuture<Boolean>> waiting = new HashMap<>();
  private int readers;
  private boolean isOpened;
  private boolean hasFile;
  private boolean isDropped;
  private boolean isDamageKnown;
  private Instant pausedUntil = Instant.MIN;
  private volatile boolean complete;
  private volatile Instant lastUsed;
  private Instant lastMarked = Instant.MIN;

  /** Bytes that count against the bound; guarded by the lock of {@link CacheEntries}. */
  long charge;

  /**
   * @param fillsWhole whether a blob of which one piece is asked for is fetched whole
   * @param lastUsed as far as it is known
   */
  CacheEntry(CacheFile file, boolean fillsWhole, Instant lastUsed, InstantSource clock) {
    this.file = file;
    this.fillsWhole = fillsWhole;
    this.clock = clock;
    this.lastUsed = lastUsed;
  }

  CacheFile file() {
    return file;
  }

  BlobRef ref() {
    return file.ref();
  }

  /** Whether every byte is in the file, and durable. */
  boolean isComplete() {
    return complete;
  }

  Instant lastUsed() {
    return lastUsed;
  }

  /** The blob was asked for. To the second: a hot entry is not written to by every request. */
  void touch() {
    Instant now = clock.instant();
    if (now.getEpochSecond() != lastUsed.getEpochSecond()) {
      lastUsed = now;
    }
  }

  /** Writes the last use into the file if it changed. I/O. */
  synchronized void markUsed() throws IOException {
    Instant used = lastUsed;
    if (hasFile && !isDropped && used.isAfter(lastMarked)) {
      file.markUsed(used);
      lastMarked = used;
    }
  }

  synchronized boolean isDropped() {
    return isDropped;
  }

  /**
   * Keeps the entry from being evicted until {@link #unpin()}; finds out what the file has the
   * first time: I/O.
   *
   * @return whether the entry is still there
   */
  synchronized boolean pin() {
    if (isDropped) {
      return false;
    }
    if (!isOpened) {
      isOpened = true;
      try {
        file.stored()
            .ifPresent(found -> {
              stored.or(found);
              hasFile = true;
            });
      } catch (IOException _) {
        // As if there were no file: making one says what is wrong.
      }
    }
    readers++;
    return true;
  }

  synchronized void unpin() {
    readers--;
  }

  /** Asks for what is missing of a blob that is to be fetched whole. */
  synchronized void wantWhole() {
    if (fillsWhole && !isDropped && !complete && !isPaused()) {
      queue.want(0, file.pieces(), present);
    }
  }

  /** Bytes of the pieces that the file has, or will have when what is fetched now is there. */
  synchronized long heldBytes() {
    BitSet held = (BitSet) stored.clone();
    held.or(present);
    queue.addClaimedTo(held);
    return held.stream().mapToLong(piece -> file.range(piece).length()).sum();
  }

  /** Whether a piece can be read without waiting. */
  synchronized boolean has(int piece) {
    return present.get(piece);
  }

  /** The position behind the present pieces that begin with {@code piece}, in bytes. */
  synchronized long presentEnd(int piece) {
    return file.end(present.nextClearBit(piece) - 1);
  }

  /**
   * Asks for a piece, and for some of those behind it. Does not block.
   *
   * @param end the piece behind the last that the asking reader needs
   * @return completes with whether the piece is present; if not, the cache cannot help. Fails with
   *     a {@link StorageException}.
   */
  synchronized CompletableFuture<Boolean> request(int piece, int end) {
    if (isDropped) {
      return ABSENT;
    }
    if (!isPaused()) {
      queue.want(piece + 1, Math.min(end, piece + 1 + READ_AHEAD), present);
    }
    if (present.get(piece)) {
      return PRESENT;
    }
    if (!queue.isClaimed(piece)) {
      if (isPaused() && !stored.get(piece)) {
        return ABSENT;
      }
      queue.urge(piece);
    }
    return waiting.computeIfAbsent(piece, _ -> new CompletableFuture<>());
  }

  synchronized boolean hasUrgent() {
    return queue.hasUrgent();
  }

  synchronized boolean hasWanted() {
    return queue.hasWanted();
  }

  /** As {@link PieceQueue#claim}. */
  synchronized int claim(boolean isAhead) {
    return queue.claim(isAhead);
  }

  /** Whether the file has bytes of the piece that are not verified. */
  synchronized boolean isStored(int piece) {
    return stored.get(piece);
  }

  /**
   * The stored bytes of a piece turned out to be wrong.
   *
   * @return whether this is the first such piece
   */
  synchronized boolean damaged(int piece) {
    stored.clear(piece);
    boolean isFirst = !isDamageKnown;
    isDamageKnown = true;
    return isFirst;
  }

  /**
   * Makes the file if it is not there yet. I/O.
   *
   * @throws IOException if it cannot be made
   */
  synchronized void createFile() throws IOException {
    if (!hasFile && !isDropped) {
      file.create();
      hasFile = true;
    }
  }

  /**
   * Opens the file for reading; empty if the entry was given up: the file may be another one, with
   * holes in the place of pieces. I/O. The caller closes the channel.
   */
  Optional<FileChannel> open() throws IOException {
    FileChannel channel = file.openForReading();
    if (isDropped()) {
      channel.close();
      return Optional.empty();
    }
    return Optional.of(channel);
  }

  /**
   * A claimed piece is in the file.
   *
   * @return whether it was the last one missing
   */
  boolean fetched(int piece) {
    CompletableFuture<Boolean> waiters;
    boolean isLast;
    boolean isPresent;
    synchronized (this) {
      queue.release(piece);
      waiters = waiting.remove(piece);
      // Another file may have the entry's name by now; this one's readers must not look into it.
      isPresent = !isDropped;
      if (isPresent) {
        stored.clear(piece);
        present.set(piece);
      }
      isLast = isPresent && present.cardinality() == file.pieces();
    }
    if (waiters != null) {
      waiters.complete(isPresent);
    }
    return isLast;
  }

  /** Every piece is in the file, and durable. */
  synchronized void completed() {
    complete = !isDropped;
  }

  /**
   * A claimed piece could not be fetched. Readers that wait for it, or for another that nobody
   * fetches yet, are told; the next request tries again.
   *
   * @return whether fetching ahead ends by this, and nobody waits who would hear of it
   */
  boolean failed(int piece, StorageException failure) {
    boolean isAhead = hasWanted();
    List<CompletableFuture<Boolean>> waiters = end(piece, false);
    waiters.forEach(waiter -> waiter.completeExceptionally(failure));
    return isAhead && waiters.isEmpty();
  }

  /** Nothing will be fetched any more. */
  void abandon(StorageException failure) {
    boolean _ = failed(file.pieces(), failure);
  }

  /** A claimed piece could not be written: readers pass the entry by for a while. */
  void refused(int piece) {
    end(piece, true).forEach(waiter -> waiter.complete(false));
  }

  /**
   * Gives the entry up: nobody finds pieces in it any more.
   *
   * @param isUnused the condition, which is asked under the entry's lock
   * @return whether it was given up by this call
   */
  boolean drop(Predicate<CacheEntry> isUnused) {
    List<CompletableFuture<Boolean>> waiters;
    synchronized (this) {
      if (isDropped || !isUnused.test(this)) {
        return false;
      }
      isDropped = true;
      complete = false;
      queue.clear();
      waiters = List.copyOf(waiting.values());
      waiting.clear();
    }
    waiters.forEach(waiter -> waiter.complete(false));
    return true;
  }

  /** Whether nobody reads or fetches. */
  synchronized boolean isIdle() {
    return readers == 0 && queue.isIdle();
  }

  /** Whether nobody reads or fetches, and nothing is there. */
  synchronized boolean isEmpty() {
    return isOpened && isIdle() && present.isEmpty() && stored.isEmpty() && !isPaused();
  }

  private boolean isPaused() {
    return clock.instant().isBefore(pausedUntil);
  }

  private synchronized List<CompletableFuture<Boolean>> end(int piece, boolean pauses) {
    queue.release(piece);
    queue.clear();
    if (pauses) {
      pausedUntil = clock.instant().plus(PAUSE);
    }
    List<CompletableFuture<Boolean>> waiters = new ArrayList<>();
    waiting
        .entrySet()
        .removeIf(entry -> {
          boolean isOver = !queue.isClaimed(entry.getKey());
          if (isOver) {
            waiters.add(entry.getValue());
          }
          return isOver;
        });
    return waiters;
  }
}
