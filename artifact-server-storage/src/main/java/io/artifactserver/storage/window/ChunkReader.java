package io.artifactserver.storage.window;

import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One range as a window of chunks. Used by one thread at a time; each chunk is fetched by a virtual
 * thread of its own, which also gives back what it was given if it was cancelled: a buffer that a
 * fetch may still write into is nobody else's, and counts.
 *
 * <p>A range of a single chunk is read as it comes, by the thread that wants it, which saves a copy
 * and the hops between two threads; it is fetched like any other as soon as its reader rests.
 *
 * <p>Memory is counted in slots, each of one chunk. The reader keeps at least one until its last
 * chunk is delivered, and one is always left to the head, so a fetch that waits for memory waits
 * for the reader alone.
 */
final class ChunkReader implements RangeReader {
  private static final String STORE = "remote";

  /**
   * What a reader waits for at a time, in bytes: the body of an answer is passed on in such pieces
   * while the rest of its chunk is still coming.
   */
  private static final int PIECE_LENGTH = 64 * 1024;

  private final ByteRange range;
  private final ChunkSource source;
  private final ChunkWindow settings;
  private final TransferBudget.Share share;

  /** What a slot occupies, in bytes. */
  private final int slotLength;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition headArrived = lock.newCondition();
  private final Condition roomMade = lock.newCondition();

  /** Chunks that are in flight or have arrived, in order; the first is the head. */
  private final Deque<Chunk> window = new ArrayDeque<>();

  /** How many chunks are wanted at once: adapts between 1 and the maximum. */
  private int target;

  /** How many the budget has granted. */
  private int slots;

  /** How many of them have a buffer. */
  private int occupied;

  private int inFlight;

  /** How many fetches wait for memory. */
  private int stalled;

  /** Whether the reader waits for the head. */
  private boolean isStarved;

  /** Position of the first byte that nobody fetches yet. */
  private long next;

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
    this.settings = settings;
    this.next = range.position();
    this.slotLength =
        settings.buffers().footprint((int) Math.min(range.length(), settings.chunkLength()));
    this.target = settings.openingChunks();
    this.share = settings.budget().join(this::onRoom);
  }

  /** Fetches the first chunks and waits for the first of them. */
  void begin() throws StorageException {
    if (range.isEmpty()) {
      share.close();
    } else if (isSingle() && acquireSlot()) {
      direct = source.open(range);
    } else {
      lock.lock();
      try {
        fill();
      } finally {
        lock.unlock();
      }
      takeHead(PIECE_LENGTH);
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
        if (state instanceof Open) {
          Chunk chunk =
              new Chunk(new ByteRange(range.position() + delivered, range.length() - delivered));
          chunk.answer = direct;
          start(chunk);
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
        cancel();
        Chunk read = current;
        current = null;
        if (read != null && read.hasEnded) {
          giveBack(read);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** How many fetches are under way now. */
  int inFlight() {
    lock.lock();
    try {
      return inFlight;
    } finally {
      lock.unlock();
    }
  }

  private boolean isSingle() {
    return range.length() <= settings.chunkLength();
  }

  /** For a chunk that this thread fetches. Returns whether there is memory for it. */
  private boolean acquireSlot() {
    lock.lock();
    try {
      if (share.tryAcquire(slotLength)) {
        slots++;
        next = range.end();
      }
      return slots > 0;
    } finally {
      lock.unlock();
    }
  }

  private int readHere(RangeReader answer, ByteBuffer target) throws StorageException {
    int length;
    try {
      length = answer.read(target);
      if (length < 0) {
        throw endedEarly(range);
      }
    } catch (Throwable e) {
      closeDirect();
      lock.lock();
      try {
        fail(e);
      } finally {
        lock.unlock();
      }
      throw e;
    }
    delivered += length;
    if (delivered == range.length()) {
      closeDirect();
      lock.lock();
      try {
        giveBackSlots(0);
        share.close();
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
      Chunk head = window.peekFirst();
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
    Chunk head = window.peekFirst();
    return head != null && (head.hasArrived || head.available() >= wanted);
  }

  private void awaitHead(int wanted) throws StorageException {
    isStarved = true;
    Chunk begun = window.peekFirst();
    awaited = (begun == null ? 0 : begun.taken) + wanted;
    try {
      if (delivered > 0) {
        // In the middle of a chunk it waits for the line, of which a larger window gives no more.
        if (begun == null || begun.taken == 0) {
          target = Math.min(settings.maxChunks(), 2 * target);
        }
        fill();
      }
      while (state instanceof Open && !headHas(wanted)) {
        headArrived.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      fail(
          new StorageException.StorageUnavailable(
              STORE, "the thread that read %s was interrupted".formatted(range), e));
    } finally {
      isStarved = false;
      awaited = 0;
    }
  }

  /** Called by the fetcher. */
  private void advanced(Chunk chunk) {
    ByteBuffer buffer = chunk.buffer;
    if (buffer != null) {
      chunk.filled = buffer.position();
      int wanted = awaited;
      if (wanted > 0 && chunk.filled >= wanted) {
        lock.lock();
        try {
          if (chunk == window.peekFirst()) {
            headArrived.signal();
          }
        } finally {
          lock.unlock();
        }
      }
    }
  }

  private void dropHead(Chunk head) {
    lock.lock();
    try {
      current = null;
      if (!(state instanceof Open)) {
        giveBack(head);
        return;
      }
      window.removeFirst();
      occupied--;
      settings.buffers().release(head.bytes());
      if (delivered == range.length()) {
        giveBackSlots(0);
        share.close();
        return;
      }
      // Given back each time, so that whoever has less gets it.
      giveBackSlots(Math.max(slots - 1, Math.max(1, occupied + (headHasRoom() ? 0 : 1))));
      fill();
    } finally {
      lock.unlock();
    }
  }

  private boolean headHasRoom() {
    Chunk head = window.peekFirst();
    return head != null && head.hasRoom;
  }

  private void giveBackSlots(int kept) {
    if (kept < slots) {
      share.release((long) (slots - kept) * slotLength);
      slots = kept;
    }
  }

  /** The budget may grant more. */
  private void onRoom() {
    lock.lock();
    try {
      if (state instanceof Open && delivered < range.length()) {
        fill();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Begins as many fetches as there may be. */
  private void fill() {
    long missing = range.end() - next;
    int wanted =
        (int)
            Math.min(
                target,
                window.size() + (missing + settings.chunkLength() - 1) / settings.chunkLength());
    slots += share.acquire(Math.max(0, wanted - slots), slotLength);
    // A reader that waits takes what queues up at once when the head comes: that memory is as good
    // as free. The first chunk proves nothing: everybody waits for it.
    boolean isFast = isStarved && delivered > 0;
    while (next < range.end() && inFlight < slots && (isFast || window.size() < slots)) {
      start(new Chunk(nextChunk()));
    }
    if (stalled > 0) {
      roomMade.signalAll();
    }
  }

  private ByteRange nextChunk() {
    return new ByteRange(next, Math.min(settings.chunkLength(), range.end() - next));
  }

  private void start(Chunk chunk) {
    Thread fetcher = Thread.ofVirtual().name("chunk").unstarted(() -> fetch(chunk));
    chunk.fetcher = fetcher;
    // Before anything is counted: nothing has to be undone if there is no memory for a thread. It
    // cannot end before: whoever calls has the lock.
    fetcher.start();
    inFlight++;
    window.addLast(chunk);
    next = chunk.range.end();
  }

  private void fetch(Chunk chunk) {
    Throwable thrown = null;
    RangeReader begun = chunk.answer;
    try (RangeReader answer = begun == null ? source.open(chunk.range) : begun) {
      ByteBuffer buffer = room(chunk);
      while (buffer.hasRemaining() && answer.read(buffer) >= 0) {
        advanced(chunk);
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

  private ByteBuffer room(Chunk chunk) throws StorageException {
    lock.lock();
    stalled++;
    try {
      long patience = settings.stall().toNanos();
      while (!chunk.hasRoom) {
        if (!(state instanceof Open)) {
          throw gone(chunk, null);
        } else if (hasRoomFor(chunk)) {
          chunk.hasRoom = true;
          occupied++;
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
    ByteBuffer buffer = chunk.buffer;
    if (buffer == null) {
      buffer = settings.buffers().acquire(slotLength).limit((int) chunk.range.length());
      chunk.buffer = buffer;
    }
    return buffer;
  }

  private boolean hasRoomFor(Chunk chunk) {
    int reserved = window.peekFirst() == chunk || headHasRoom() ? 0 : 1;
    return occupied < slots - reserved;
  }

  /** The reader has become slow: its backend must not wait for it with an answer half sent. */
  private void putOff(Chunk chunk) {
    chunk.isPutOff = true;
    window.removeLast();
    next = chunk.range.position();
    roomMade.signalAll();
  }

  private static StorageException gone(Chunk chunk, @Nullable Throwable cause) {
    return new StorageException.StorageUnavailable(
        STORE, "nobody wants %s now".formatted(chunk.range), cause);
  }

  private static StorageException endedEarly(ByteRange range) {
    return new StorageException.StorageUnavailable(
        STORE, "a fetch of %s ended early".formatted(range), null);
  }

  private void ended(Chunk chunk, @Nullable Throwable thrown) {
    inFlight--;
    chunk.fetcher = null;
    chunk.hasEnded = true;
    if (!(state instanceof Open)) {
      if (chunk != current) {
        giveBack(chunk);
      }
    } else if (chunk.isPutOff) {
      // It has no buffer, and somebody else fetches it later.
      return;
    } else if (thrown != null) {
      giveBackUnread(chunk);
      fail(thrown);
    } else if (!chunk.isFull()) {
      giveBackUnread(chunk);
      fail(endedEarly(chunk.range));
    } else {
      arrived(chunk);
    }
  }

  private void arrived(Chunk chunk) {
    chunk.hasArrived = true;
    if (isStarved) {
      if (chunk == window.peekFirst()) {
        headArrived.signal();
      } else {
        fill();
      }
    } else if (inFlight == 0 && target > 2 && chunk != current) {
      target--;
    }
  }

  private void fail(Throwable cause) {
    if (state instanceof Open) {
      state = new Failed(cause);
      cancel();
      headArrived.signal();
    }
  }

  /** Interrupts what is in flight; it gives back what it has itself. */
  private void cancel() {
    for (Chunk chunk : window) {
      Thread fetcher = chunk.fetcher;
      if (fetcher != null) {
        fetcher.interrupt();
      } else if (chunk.hasArrived) {
        giveBackUnread(chunk);
      }
    }
    window.clear();
    giveBackSlots(occupied);
    share.close();
  }

  /** Of the chunk that is being read, the reader may be copying. */
  private void giveBackUnread(Chunk chunk) {
    if (chunk != current) {
      giveBackRoom(chunk);
    }
  }

  private void giveBack(Chunk chunk) {
    giveBackRoom(chunk);
    giveBackSlots(occupied);
  }

  private void giveBackRoom(Chunk chunk) {
    if (chunk.hasRoom) {
      chunk.hasRoom = false;
      occupied--;
      if (chunk.buffer != null) {
        settings.buffers().release(chunk.buffer);
        chunk.buffer = null;
      }
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

  /** A part of the range. Guarded by the reader's lock, but for what is being copied. */
  private static final class Chunk {
    private final ByteRange range;
    private @Nullable Thread fetcher;

    /** What its fetch begins with, if it was asked for before. */
    private @Nullable RangeReader answer;

    private @Nullable ByteBuffer buffer;
    private boolean hasRoom;
    private boolean hasEnded;
    private volatile boolean hasArrived;

    /** Bytes that have come. */
    private volatile int filled;

    /** Bytes that the reader has: its own. */
    private int taken;

    private boolean isPutOff;

    private Chunk(ByteRange range) {
      this.range = range;
    }

    /**
     * Bytes that the reader can have. The last one of the chunk only comes when the fetch is over:
     * whoever has all of it knows that nobody writes into it any more.
     */
    private int available() {
      return (hasArrived ? (int) range.length() : Math.min(filled, (int) range.length() - 1))
          - taken;
    }

    private int missing() {
      return (int) range.length() - taken;
    }

    private boolean isFull() {
      return buffer != null && !buffer.hasRemaining();
    }

    private ByteBuffer bytes() {
      if (buffer == null) {
        throw new IllegalStateException("The chunk at %s has no bytes".formatted(range));
      }
      return buffer;
    }
  }
}
