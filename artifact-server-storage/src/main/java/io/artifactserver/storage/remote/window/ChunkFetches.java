package io.artifactserver.storage.remote.window;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The fetches of one reader. Guarded by the reader's lock; each chunk is fetched by a virtual
 * thread of its own, which also gives back what it was given if it was cancelled.
 *
 * <p>The reader keeps at least one slot until its last chunk is delivered, and one is always left
 * to the head, so a fetch that waits for memory waits for the reader alone.
 */
final class ChunkFetches {
  private final ByteRange range;
  private final ChunkSource source;
  private final ChunkWindow settings;
  private final ChunkReader reader;
  private final ChunkSlots slots;
  private final ReentrantLock lock;
  private final Condition roomMade;

  /** Chunks that are in flight or have arrived, in order; the first is the head. */
  private final Deque<Chunk> window = new ArrayDeque<>();

  /** How many chunks are wanted at once: adapts between 1 and the maximum. */
  private int target;

  private int inFlight;

  /** How many fetches wait for memory. */
  private int stalled;

  /** Position of the first byte that nobody fetches yet. */
  private long next;

  ChunkFetches(
      ByteRange range,
      ChunkSource source,
      ChunkWindow settings,
      ChunkReader reader,
      ChunkSlots slots,
      ReentrantLock lock) {
    this.range = range;
    this.source = source;
    this.settings = settings;
    this.reader = reader;
    this.slots = slots;
    this.lock = lock;
    this.roomMade = lock.newCondition();
    this.next = range.position();
    this.target = settings.openingChunks();
  }

  /** Takes the lock itself. */
  int inFlight() {
    lock.lock();
    try {
      return inFlight;
    } finally {
      lock.unlock();
    }
  }

  /** The first chunk; null if none is fetched. For every read, hence no {@code Optional}. */
  @Nullable Chunk head() {
    return window.peekFirst();
  }

  boolean headHasRoom() {
    Chunk head = window.peekFirst();
    return head != null && head.hasRoom;
  }

  /**
   * Begins the first fetches, or only takes the memory for a single chunk.
   *
   * @return whether there are fetches; if not, the reader fetches the range itself
   */
  boolean begin() {
    if (range.length() <= settings.chunkLength() && slots.tryAcquire()) {
      next = range.end();
      return false;
    }
    fill();
    return true;
  }

  /** Goes on with an answer of which the reader has read the bytes before {@code rest}. */
  void adopt(ByteRange rest, RangeReader answer) {
    Chunk chunk = new Chunk(rest);
    chunk.answer = answer;
    start(chunk);
  }

  /** A reader that has taken a chunk waits for the next. */
  void widen() {
    target = Math.min(settings.maxChunks(), 2 * target);
  }

  /** The reader has all of the head. */
  void dropHead() {
    slots.vacate(window.removeFirst());
  }

  /** Begins as many fetches as there may be. */
  void fill() {
    long missing = range.end() - next;
    int wanted =
        (int)
            Math.min(
                target,
                window.size() + (missing + settings.chunkLength() - 1) / settings.chunkLength());
    int granted = slots.acquire(wanted);
    // A reader that waits takes what queues up at once when the head comes: that memory is as good
    // as free. The first chunk proves nothing: everybody waits for it.
    boolean isFast = reader.isStarved() && reader.hasBegun();
    while (next < range.end() && inFlight < granted && (isFast || window.size() < granted)) {
      start(new Chunk(nextChunk()));
    }
    if (stalled > 0) {
      roomMade.signalAll();
    }
  }

  /** Interrupts what is in flight; it gives back what it has itself. */
  void cancel() {
    for (Chunk chunk : window) {
      Thread fetcher = chunk.fetcher;
      if (fetcher != null) {
        fetcher.interrupt();
      } else if (chunk.hasArrived) {
        vacateUnread(chunk);
      }
    }
    window.clear();
    slots.close();
  }

  private ByteRange nextChunk() {
    return new ByteRange(next, Math.min(settings.chunkLength(), range.end() - next));
  }

  private void start(Chunk chunk) {
    Thread fetcher = Thread.ofVirtual().name("chunk").unstarted(() -> fetch(chunk));
    chunk.fetcher = fetcher;
    // Before anything is counted: nothing has to be undone if there is no memory for a thread. It
    // cannot end before: the caller has the lock.
    fetcher.start();
    inFlight++;
    window.addLast(chunk);
    next = chunk.range.end();
  }

  private void fetch(Chunk chunk) {
    Throwable thrown = null;
    RangeReader begun = chunk.answer;
    try (RangeReader answer = begun == null ? source.open(chunk.range) : begun) {
      awaitRoom(chunk);
      ByteBuffer buffer = slots.buffer(chunk);
      while (buffer.hasRemaining() && answer.read(buffer) >= 0) {
        chunk.filled = buffer.position();
        reader.advanced(chunk);
      }
    } catch (Throwable e) {
      thrown = e;
    }
    lock.lock();
    try {
      ended(chunk, thrown);
    } finally {
      lock.unlock();
    }
  }

  private void awaitRoom(Chunk chunk) throws StorageException {
    lock.lock();
    stalled++;
    try {
      long patience = settings.stall().toNanos();
      while (!chunk.hasRoom) {
        if (!reader.isReading()) {
          throw gone(chunk, null);
        } else if (slots.hasFree(window.peekFirst() == chunk || headHasRoom() ? 0 : 1)) {
          slots.occupy(chunk);
        } else if (patience > 0) {
          patience = roomMade.awaitNanos(patience);
        } else if (window.peekLast() == chunk) {
          putOff(chunk);
          throw gone(chunk, null);
        } else {
          roomMade.await();
        }
      }
    } catch (InterruptedException e) {
      throw gone(chunk, e);
    } finally {
      stalled--;
      lock.unlock();
    }
  }

  /** The reader has become slow: its backend must not wait for it with an answer half sent. */
  private void putOff(Chunk chunk) {
    chunk.isPutOff = true;
    window.removeLast();
    next = chunk.range.position();
    roomMade.signalAll();
  }

  private static StorageException gone(Chunk chunk, @Nullable Throwable cause) {
    return Failures.unavailable("nobody wants %s now".formatted(chunk.range), cause);
  }

  private void ended(Chunk chunk, @Nullable Throwable thrown) {
    inFlight--;
    chunk.fetcher = null;
    chunk.hasEnded = true;
    if (!reader.isReading()) {
      if (!reader.isCopying(chunk)) {
        slots.giveBack(chunk);
      }
    } else if (chunk.isPutOff) {
      // It has no buffer, and is fetched again later: now, if its reader has meanwhile come so far.
      if (window.isEmpty() && next < range.end()) {
        fill();
      }
    } else if (thrown != null || !chunk.isFull()) {
      vacateUnread(chunk);
      reader.fail(thrown == null ? Failures.endedEarly(chunk.range) : thrown);
    } else {
      arrived(chunk);
    }
  }

  private void arrived(Chunk chunk) {
    chunk.hasArrived = true;
    if (reader.isStarved()) {
      if (chunk == window.peekFirst()) {
        reader.headArrived();
      } else {
        fill();
      }
    } else if (inFlight == 0 && target > 2 && !reader.isCopying(chunk)) {
      target--;
    }
  }

  /** The reader may still be copying from the current chunk. */
  private void vacateUnread(Chunk chunk) {
    if (!reader.isCopying(chunk)) {
      slots.vacate(chunk);
    }
  }
}
