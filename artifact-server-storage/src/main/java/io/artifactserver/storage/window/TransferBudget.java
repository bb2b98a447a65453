package io.artifactserver.storage.window;

import java.util.Comparator;
import java.util.TreeSet;
import java.util.concurrent.Executor;

/**
 * Memory for chunks and parts in the whole process, in bytes. Thread-safe.
 *
 * <p>The first piece of a transfer is always granted: no transfer waits for another. So what is in
 * use stays below the limit plus one piece for each transfer. More than one piece is granted within
 * the limit, to whoever waits and has the least: what the richer ones give back goes to the poorer
 * ones until all have the same.
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

  /** What is in use now, in bytes; above the limit if many transfers have one piece each. */
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
   * @param onRoom run when a refused {@link Share#tryAcquire} may succeed; it asks again or is
   *     {@link Share#content}
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

  /** What one transfer uses. Thread-safe. */
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
     * Takes {@code bytes} more if they are granted. Otherwise the transfer is woken when there is
     * room for them.
     */
    boolean tryAcquire(long bytes) {
      synchronized (lock) {
        requireOpen();
        boolean wasWaiting = isWaiting;
        stopWaiting();
        boolean isGranted =
            held == 0
                || (used + bytes <= limit && (waiting.isEmpty() || waiting.first().held >= held));
        if (isGranted) {
          held += bytes;
          used += bytes;
        } else {
          wanted = bytes;
          if (!wasWaiting) {
            waitingSince = ++waits;
          }
          isWaiting = true;
          waiting.add(this);
        }
        wakePoorest();
        return isGranted;
      }
    }

    /** Gives {@code bytes} back; also after {@link #close}. */
    void release(long bytes) {
      synchronized (lock) {
        if (bytes > held) {
          throw new IllegalStateException(
              "A transfer gives back %d bytes and has %d".formatted(bytes, held));
        }
        boolean wasWaiting = isWaiting;
        if (wasWaiting) {
          waiting.remove(this);
        }
        held -= bytes;
        used -= bytes;
        if (wasWaiting) {
          waiting.add(this);
        }
        wakePoorest();
      }
    }

    /** What was refused is not wanted any more. */
    void content() {
      synchronized (lock) {
        if (isWaiting) {
          stopWaiting();
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

    private void stopWaiting() {
      if (isWaiting) {
        waiting.remove(this);
        isWaiting = false;
        isWoken = false;
      }
    }

    private void requireOpen() {
      if (isClosed) {
        throw new IllegalStateException("The transfer has ended");
      }
    }
  }
}
