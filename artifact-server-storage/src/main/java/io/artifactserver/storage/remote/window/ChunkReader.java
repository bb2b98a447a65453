package io.artifactserver.storage.remote.window;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One range, delivered from the chunks that {@link ChunkFetches} fetches ahead. Used by one thread
 * at a time; the fetches call it too, with the lock.
 *
 * <p>A range of a single chunk is read as it comes, by the thread that wants it, which saves a copy
 * and the hops between two threads; it is fetched like any other as soon as its reader rests.
 */
final class ChunkReader implements RangeReader {
  /**
   * The number of bytes that a reader waits for at a time: the body of an answer is passed on in
   * such pieces while the rest of its chunk is still coming.
   */
  private static final int PIECE_LENGTH = 64 * 1024;

  private final ByteRange range;
  private final ChunkSource source;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition headArrived = lock.newCondition();
  private final ChunkSlots slots;
  private final ChunkFetches fetches;

  /** Whether the reader waits for the head. */
  private boolean isStarved;

  private long delivered;

  /**
   * The head while it is being read, arrived or not. Written by the reading thread, with the lock;
   * its buffer is given back by whichever of reader and fetcher is done with it last.
   */
  private @Nullable Chunk current;

  /** The backend's answer while the reader reads that itself; its own. */
  private @Nullable RangeReader direct;

  /** How many bytes of the head the reader waits for, or 0. */
  private volatile int awaited;

  private volatile State state = new Open();

  ChunkReader(ByteRange range, ChunkSource source, ChunkWindow settings) {
    this.range = range;
    this.source = source;
    this.slots = new ChunkSlots(range, settings, this::onRoom);
    this.fetches = new ChunkFetches(range, source, settings, this, slots, lock);
  }

  /** Fetches the first chunks, or asks for the only one, and waits for the first bytes. */
  void begin() throws StorageException {
    if (range.isEmpty()) {
      slots.close();
      return;
    }
    boolean isAhead;
    lock.lock();
    try {
      isAhead = fetches.begin();
    } finally {
      lock.unlock();
    }
    if (isAhead) {
      takeHead(PIECE_LENGTH);
    } else {
      direct = source.open(range);
    }
  }

  @Override
  public int read(ByteBuffer target) throws StorageException {
    requireUsable();
    if (delivered == range.length()) {
      return -1;
    }
    RangeReader answer = direct;
    if (answer != null) {
      return readHere(answer, target);
    }
    int total = 0;
    while (target.hasRemaining() && delivered < range.length()) {
      Chunk head = takeHead(total == 0 ? Math.min(target.remaining(), PIECE_LENGTH) : 0);
      if (head == null) {
        break;
      }
      int length = Math.min(head.available(), target.remaining());
      target.put(target.position(), head.bytes(), head.taken, length);
      target.position(target.position() + length);
      head.taken += length;
      total += length;
      delivered += length;
      if (head.taken == head.range.length()) {
        dropHead(head);
      }
    }
    return total;
  }

  /** The backend must not wait with half an answer for a client that is slow. */
  @Override
  public void rest() {
    if (direct != null) {
      lock.lock();
      try {
        if (isReading()) {
          fetches.adopt(
              new ByteRange(range.position() + delivered, range.length() - delivered), direct);
          direct = null;
        }
      } finally {
        lock.unlock();
      }
    }
  }

  @Override
  public Wait waitToRead(int length) {
    return Wait.REMOTE;
  }

  @Override
  public boolean isOpen() {
    return !(state instanceof Closed);
  }

  @Override
  public void close() {
    closeDirect();
    lock.lock();
    try {
      if (isOpen()) {
        state = new Closed();
        fetches.cancel();
        Chunk read = current;
        current = null;
        if (read != null && read.hasEnded) {
          slots.giveBack(read);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** How many fetches are under way now. */
  int inFlight() {
    return fetches.inFlight();
  }

  private int readHere(RangeReader answer, ByteBuffer target) throws StorageException {
    int length;
    try {
      length = answer.read(target);
      if (length < 0) {
        throw Failures.endedEarly(range);
      }
    } catch (Throwable e) {
      closeDirect();
      fail(e);
      throw e;
    }
    delivered += length;
    if (delivered == range.length()) {
      closeDirect();
      lock.lock();
      try {
        slots.close();
      } finally {
        lock.unlock();
      }
    }
    return length;
  }

  private void closeDirect() {
    if (direct != null) {
      direct.close();
      direct = null;
    }
  }

  /**
   * The head once some of it can be delivered; null if none can and the caller does not wait.
   *
   * @param wanted bytes to wait for, or 0
   */
  private @Nullable Chunk takeHead(int wanted) throws StorageException {
    Chunk known = current;
    if (known != null && known.available() >= Math.min(Math.max(1, wanted), known.missing())) {
      return known;
    }
    lock.lock();
    try {
      // A fetch may have failed since the caller looked, and with it all the window.
      requireUsable();
      if (wanted > 0 && !headHas(wanted)) {
        awaitHead(wanted);
      }
      requireUsable();
      Chunk head = fetches.head();
      if (head == null || head.available() == 0) {
        return null;
      }
      current = head;
      return head;
    } finally {
      lock.unlock();
    }
  }

  private boolean headHas(int wanted) {
    Chunk head = fetches.head();
    return head != null && (head.hasArrived || head.available() >= wanted);
  }

  private void awaitHead(int wanted) throws StorageException {
    isStarved = true;
    Chunk begun = fetches.head();
    awaited = (begun == null ? 0 : begun.taken) + wanted;
    try {
      if (hasBegun()) {
        // In the middle of a chunk it waits for the line, of which a larger window gives no more.
        if (begun == null || begun.taken == 0) {
          fetches.widen();
        }
        fetches.fill();
      }
      while (isReading() && !headHas(wanted)) {
        headArrived.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(Failures.unavailable("the thread that read %s was interrupted".formatted(range), e));
    } finally {
      isStarved = false;
      awaited = 0;
    }
  }

  /** Called by a fetcher, without the lock, for every piece that comes. */
  void advanced(Chunk chunk) {
    int wanted = awaited;
    if (wanted > 0 && chunk.filled >= wanted) {
      lock.lock();
      try {
        if (chunk == fetches.head()) {
          headArrived.signal();
        }
      } finally {
        lock.unlock();
      }
    }
  }

  /** All of the head has come. */
  void headArrived() {
    headArrived.signal();
  }

  boolean isReading() {
    return state instanceof Open;
  }

  boolean isStarved() {
    return isStarved;
  }

  /** Whether it has some bytes already. */
  boolean hasBegun() {
    return delivered > 0;
  }

  boolean isCopying(Chunk chunk) {
    return chunk == current;
  }

  /** Delivers no more bytes, for this reason if it is the first. */
  void fail(Throwable cause) {
    lock.lock();
    try {
      if (isReading()) {
        state = new Failed(cause);
        fetches.cancel();
        headArrived.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void dropHead(Chunk head) {
    lock.lock();
    try {
      current = null;
      if (!isReading()) {
        slots.giveBack(head);
        return;
      }
      fetches.dropHead();
      if (delivered == range.length()) {
        slots.close();
        return;
      }
      slots.shrink(fetches.headHasRoom());
      fetches.fill();
    } finally {
      lock.unlock();
    }
  }

  /** The budget may grant more. */
  private void onRoom() {
    lock.lock();
    try {
      if (isReading() && delivered < range.length()) {
        fetches.fill();
      }
    } finally {
      lock.unlock();
    }
  }

  private void requireUsable() throws StorageException {
    switch (state) {
      case Open() -> {}
      case Closed() -> throw new IllegalStateException("The reader is closed");
      case Failed(Throwable cause) -> throw Failures.rethrow(cause);
    }
  }

  private sealed interface State {}

  private record Open() implements State {}

  private record Failed(Throwable cause) implements State {}

  private record Closed() implements State {}
}
