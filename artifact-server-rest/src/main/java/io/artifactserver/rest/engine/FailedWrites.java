package io.artifactserver.rest.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.frames.PingFrame;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;

/**
 * Delays the failures of one HTTP/2 session's writes until none of their bytes can leave any more.
 * The writer reuses its buffer when it learns of a failure. But Jetty fails the write of a stream
 * that is reset while slices of the buffer still wait for the socket: they would carry the bytes of
 * another client's download.
 *
 * <p>Jetty writes frames in rounds. A frame that is queued now is written after the frames that
 * exist already, so once a PING is written, they have left. If the PING fails, only the end of the
 * connection is proof. A client with too many delayed failures loses its connection. Thread-safe.
 */
final class FailedWrites {
  /** A small buffer, which a failed write holds at least; in bytes. */
  private static final int HELD_LENGTH = 8 * 1024;

  private final Session session;
  private final LongConsumer account;
  private final int max;
  private final Runnable end;

  private final Set<Failure> all = new HashSet<>();
  private List<Failure> next = new ArrayList<>();
  private boolean isAsking;
  private boolean isClosed;

  /**
   * @param account adds what the failed writes hold, in bytes
   * @param max delayed failures; one more ends the connection
   * @param end ends the connection
   */
  FailedWrites(Session session, LongConsumer account, int max, Runnable end) {
    this.session = session;
    this.account = account;
    this.max = max;
    this.end = end;
  }

  /**
   * Delays a failure. Call {@link Failure#ripen} when Jetty makes no more frames of the write.
   *
   * @param tell runs once: when the frames have left, or when the connection is closed
   */
  Failure hold(Runnable tell) {
    Failure failure = new Failure(tell);
    boolean isLate;
    boolean isTooMuch;
    synchronized (this) {
      isLate = isClosed;
      if (!isLate) {
        all.add(failure);
      }
      isTooMuch = all.size() > max;
    }
    if (isLate) {
      tell.run();
      return failure;
    }
    account.accept(HELD_LENGTH);
    if (isTooMuch) {
      end.run();
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

  private void ask() {
    List<Failure> asked;
    synchronized (this) {
      if (isAsking || next.isEmpty()) {
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
              ask();
            },
            // The session is about to close its connection. Until then, something may leave.
            _ -> {}));
  }

  /** A failure whose write may still have frames in Jetty's queue. */
  final class Failure {
    private final Runnable tell;

    private Failure(Runnable tell) {
      this.tell = tell;
    }

    /** Jetty makes no more frames of the write. */
    void ripen() {
      synchronized (FailedWrites.this) {
        if (!all.contains(this)) {
          return;
        }
        next.add(this);
      }
      ask();
    }

    private void tell() {
      boolean isFirst;
      synchronized (FailedWrites.this) {
        isFirst = all.remove(this);
      }
      if (isFirst) {
        account.accept(-HELD_LENGTH);
        tell.run();
      }
    }
  }
}
