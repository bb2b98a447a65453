package io.artifactserver.rest.server.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Delays the failures of one HTTP/2 session's writes until none of their bytes can leave any more.
 * The writer reuses its buffer when it learns of a failure. But Jetty fails the write of a stream
 * that is reset while slices of the buffer still wait for the socket: they would carry the bytes of
 * another client's download.
 *
 * <p>Jetty writes frames in rounds. A frame that is queued now is written after the frames that
 * exist already, so once a PING is written, they have left. If the PING fails, only the end of the
 * connection is proof.
 *
 * <p>A client that does not read can make the server write on more streams than it may have open:
 * Jetty forgets a stream that is reset, and its queue keeps the write. Beyond a limit such a client
 * loses its connection. Thread-safe.
 */
final class FailedWrites {
  private static final Logger LOG = LoggerFactory.getLogger(FailedWrites.class);

  /** A small buffer, which a write holds at least; in bytes. */
  private static final int WRITE_LENGTH = 8 * 1024;

  /**
   * Writes under way, as a multiple of the streams that may be open. A client that fetches many
   * parts at once may abort all of them several times before it reads on.
   */
  private static final int MAX_WRITES_PER_STREAM = 8;

  private final Session session;
  private final LongConsumer account;
  private final int maxStreams;
  private final Runnable end;

  private final AtomicInteger writes = new AtomicInteger();
  private final Set<Failure> all = new HashSet<>();
  private List<Failure> next = new ArrayList<>();
  private boolean isAsking;
  private boolean isClosed;

  /**
   * @param account adds what is held beyond the writes of open streams, in bytes
   * @param maxStreams that may be open
   * @param end ends the connection
   */
  FailedWrites(Session session, LongConsumer account, int maxStreams, Runnable end) {
    this.session = session;
    this.account = account;
    this.maxStreams = maxStreams;
    this.end = end;
  }

  /** Counts a write that begins. */
  void begin() {
    int now = writes.incrementAndGet();
    if (now > maxStreams) {
      account.accept(WRITE_LENGTH);
      if (now > MAX_WRITES_PER_STREAM * maxStreams) {
        end.run();
      }
    }
  }

  /** Counts the end of a write, once its buffer may be reused. */
  void end() {
    if (writes.getAndDecrement() > maxStreams) {
      account.accept(-WRITE_LENGTH);
    }
  }

  /**
   * Delays a failure. Call {@link Failure#ripen} when Jetty makes no more frames of the write.
   *
   * @param tell runs once: when the frames have left, or when the connection is closed
   */
  Failure hold(Runnable tell) {
    Failure failure = new Failure(tell);
    boolean isLate;
    synchronized (this) {
      isLate = isClosed;
      all.add(failure);
    }
    if (isLate) {
      failure.tell();
    }
    return failure;
  }

  /** Nothing can leave any more: the connection is closed. */
  void close() {
    List<Failure> rest;
    synchronized (this) {
      isClosed = true;
      rest = List.copyOf(all);
      next.clear();
    }
    rest.forEach(Failure::tell);
  }

  /** Jetty looks at its queue again, and drops what it holds of streams that were reset. */
  void drop() {
    ask(true);
  }

  private void ask(boolean isUrgent) {
    List<Failure> asked;
    synchronized (this) {
      if (isAsking || isClosed || (next.isEmpty() && !isUrgent)) {
        return;
      }
      isAsking = true;
      asked = next;
      next = new ArrayList<>();
    }
    session.ping(
        new PingFrame(false),
        Callback.from(
            InvocationType.NON_BLOCKING,
            () -> {
              synchronized (this) {
                isAsking = false;
              }
              asked.forEach(Failure::tell);
              ask(false);
            },
            // The session is about to close its connection. Until then, something may leave.
            _ -> {}));
  }

  /** A failure whose write may still have frames in Jetty's queue. */
  final class Failure {
    private final List<Runnable> tells = new ArrayList<>(1);

    private Failure(Runnable tell) {
      tells.add(tell);
    }

    /** Delays another failure of the same write as this one. */
    void also(Runnable tell) {
      synchronized (FailedWrites.this) {
        if (all.contains(this)) {
          tells.add(tell);
          return;
        }
      }
      tell.run();
    }

    /** Jetty makes no more frames of the write. */
    void ripen() {
      synchronized (FailedWrites.this) {
        if (!all.contains(this)) {
          return;
        }
        next.add(this);
      }
      ask(false);
    }

    private void tell() {
      synchronized (FailedWrites.this) {
        if (!all.remove(this)) {
          return;
        }
      }
      for (Runnable tell : tells) {
        try {
          tell.run();
        } catch (RuntimeException | Error e) {
          // The others must learn of theirs.
          LOG.warn("Cannot clean up after a failed write", e);
        }
      }
    }
  }
}
