package io.artifactserver.rest.server.guard;

import io.artifactserver.core.limit.FairQueue;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Turns of uploads: an upload has one while it works, and none while it waits for its client. So
 * thousands may be open, and few use memory for their bytes, the disk and the database at a time.
 * No caller has more than half of the turns while others wait. Thread-safe; a turn is used by one
 * thread.
 */
public final class UploadTurns {
  /** In bytes. */
  private static final int BUFFER_LENGTH = 256 * 1024;

  private final int max;

  /** Uploads that wait for a turn; guarded by this object, as are those below. */
  private final FairQueue<String, Waiting> waiting = FairQueue.inOrder();

  /** How many turns a caller has; none has zero. */
  private final Map<String, Integer> runningOf = new HashMap<>();

  private int running;

  /** Buffers for the next turns: as many as there were turns at a time. */
  private final Deque<byte[]> buffers = new ArrayDeque<>();

  /**
   * @param max turns at a time
   */
  public UploadTurns(int max) {
    this.max = max;
  }

  /**
   * Returns a turn that has to be {@linkplain Turn#begin() begun}.
   *
   * @param caller its id
   */
  public Turn of(String caller) {
    return new Turn(caller);
  }

  private void begin(String caller) {
    Waiting own = new Waiting(new CountDownLatch(1), caller);
    synchronized (this) {
      waiting.add(caller, own);
      start();
    }
    boolean isInterrupted = false;
    while (true) {
      try {
        own.begun.await();
        break;
      } catch (InterruptedException e) {
        // Whatever waits next ends by it; until then this thread does as it was told.
        isInterrupted = true;
      }
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized void end(String caller, byte @Nullable [] buffer) {
    if (buffer != null) {
      buffers.push(buffer);
    }
    running--;
    runningOf.computeIfPresent(caller, (_, count) -> count == 1 ? null : count - 1);
    // Others came while it had its turn.
    waiting.yieldTurn(caller);
    start();
  }

  private byte[] borrow() {
    synchronized (this) {
      if (!buffers.isEmpty()) {
        return buffers.pop();
      }
    }
    return new byte[BUFFER_LENGTH];
  }

  private synchronized boolean isWanted() {
    return !waiting.isEmpty();
  }

  private synchronized void start() {
    while (running < max && !waiting.isEmpty()) {
      Waiting next =
          waiting
              .poll(caller -> runningOf.getOrDefault(caller, 0) < Math.max(1, max / 2))
              .or(waiting::poll)
              .orElseThrow();
      running++;
      runningOf.merge(next.caller, 1, Integer::sum);
      next.begun.countDown();
    }
  }

  /** One upload's. */
  public final class Turn {
    private final String caller;
    private byte @Nullable [] buffer;

    private Turn(String caller) {
      this.caller = caller;
    }

    /** Waits until it is the upload's turn. */
    public void begin() {
      UploadTurns.this.begin(caller);
    }

    /** Gives the turn up, for a wait or for ever. */
    public void end() {
      byte[] used = buffer;
      buffer = null;
      UploadTurns.this.end(caller, used);
    }

    /** A buffer for as long as the turn lasts, with bytes of others in it. */
    public byte[] buffer() {
      if (buffer == null) {
        buffer = borrow();
      }
      return buffer;
    }

    /** Lets those that wait go first, if there are any. */
    public void giveWay() {
      if (isWanted()) {
        end();
        begin();
      }
    }
  }

  /** Equal to no other: no two have the same latch. */
  private record Waiting(CountDownLatch begun, String caller) {}
}
