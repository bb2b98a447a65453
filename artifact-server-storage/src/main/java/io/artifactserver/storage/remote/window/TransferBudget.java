package io.artifactserver.storage.remote.window;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.Executor;

/**
 * Memory for chunks and parts in the whole process, in bytes. Thread-safe.
 *
 * <p>The first piece of a transfer is always granted: no transfer waits for another. So what is in
 * use stays below the limit plus one piece for each transfer. More than one piece is granted within
 * the limit: to the waiting transfer that has the least, and among equals to the one that has
 * waited longest. So what the richer ones give back goes to the poorer ones until all have the
 * same. A transfer keeps its place until it has all that it asked for: how soon its thread runs
 * after it is woken makes no difference.
 */
public final class TransferBudget {
  private static final Comparator<Share> POOREST_FIRST =
      Comparator.<Share>comparingLong(share -> share.held)
          .thenComparingLong(share -> share.waitingSince);

  private final long limit;
  private final Executor waker;
  private final Object lock = new Object();
  private final TreeSet<Share> waiting = new TreeSet<>(POOREST_FIRST);
  private long used;
  private int transfers;
  private long waits;

  /**
   * @param limit in bytes, positive
   */
  public TransferBudget(long limit) {
    this(limit, Thread::startVirtualThread);
  }

  /**
   * @param waker runs what a transfer does when there is room for it; not on the calling thread,
   *     which holds locks
   */
  TransferBudget(long limit, Executor waker) {
    if (limit < 1) {
      throw new IllegalArgumentException("A budget is positive, not %d bytes".formatted(limit));
    }
    this.limit = limit;
    this.waker = waker;
  }

  /** The limit in bytes. */
  public long limit() {
    return limit;
  }

  /** Bytes in use now; above the limit if many transfers have one piece each. */
  public long used() {
    synchronized (lock) {
      return used;
    }
  }

  /** How many transfers there are now. */
  public int transfers() {
    synchronized (lock) {
      return transfers;
    }
  }

  /** How many transfers would use more than they have. */
  public int waiting() {
    synchronized (lock) {
      return waiting.size();
    }
  }

  /**
   * Begins a transfer, with nothing in use.
   *
   * @param onRoom run when a piece that was refused would be granted; it asks again or is {@link
   *     Share#content}
   */
  Share join(Runnable onRoom) {
    synchronized (lock) {
      transfers++;
    }
    return new Share(onRoom);
  }

  private void wakePoorest() {
    if (!waiting.isEmpty()) {
      Share poorest = waiting.first();
      if (!poorest.isWoken && used + poorest.wanted <= limit) {
        poorest.isWoken = true;
        waker.execute(poorest.onRoom);
      }
    }
  }

  /** The share of one transfer. Thread-safe. */
  final class Share {
    private final Runnable onRoom;
    private long held;
    private long wanted;
    private long waitingSince;
    private boolean isWaiting;
    private boolean isWoken;
    private boolean isClosed;

    private Share(Runnable onRoom) {
      this.onRoom = onRoom;
    }

    /**
     * Takes {@code bytes} more if they are granted. Otherwise the transfer waits, and is woken when
     * there is room for them.
     *
     * @return whether they were granted
     */
    boolean tryAcquire(long bytes) {
      return acquire(1, bytes) == 1;
    }

    /**
     * Takes up to {@code pieces} pieces of {@code length} bytes in one step. If fewer are granted,
     * the transfer waits for the others from now on, without giving its place to anybody in
     * between, and is woken when there is room for one.
     *
     * @return how many pieces were granted
     */
    int acquire(int pieces, long length) {
      synchronized (lock) {
        requireOpen();
        int granted = 0;
        if (pieces > 0) {
          queue(length);
          while (granted < pieces && isNext()) {
            move(length);
            granted++;
          }
        }
        if (granted == pieces) {
          leaveQueue();
        }
        wakePoorest();
        return granted;
      }
    }

    /** Gives {@code bytes} back; also after {@link #close}. */
    void release(long bytes) {
      synchronized (lock) {
        if (bytes > held) {
          throw new IllegalStateException(
              "A transfer gives back %d bytes and has %d".formatted(bytes, held));
        }
        move(-bytes);
        wakePoorest();
      }
    }

    /** A refused piece is not wanted any more. */
    void content() {
      synchronized (lock) {
        if (isWaiting) {
          leaveQueue();
          wakePoorest();
        }
      }
    }

    /** Ends the transfer; what is still in use is given back later. May be repeated. */
    void close() {
      synchronized (lock) {
        if (!isClosed) {
          isClosed = true;
          transfers--;
          content();
        }
      }
    }

    /** A transfer that waits already keeps its place. */
    private void queue(long length) {
      wanted = length;
      isWoken = false;
      if (!isWaiting) {
        isWaiting = true;
        waitingSince = ++waits;
        waiting.add(this);
      }
    }

    private void leaveQueue() {
      if (isWaiting) {
        waiting.remove(this);
        isWaiting = false;
        isWoken = false;
      }
    }

    private boolean isNext() {
      return held == 0 || (used + wanted <= limit && waiting.first() == this);
    }

    /** Changes what the transfer holds, and with it its place among those that wait. */
    private void move(long bytes) {
      if (isWaiting) {
        waiting.remove(this);
      }
      held += bytes;
      used += bytes;
      if (isWaiting) {
        waiting.add(this);
      }
    }

    private void requireOpen() {
      if (isClosed) {
        throw new IllegalStateException("The transfer has ended");
      }
    }
  }
}
