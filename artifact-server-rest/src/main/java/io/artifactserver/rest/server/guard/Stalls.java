package io.artifactserver.rest.server.guard;

import io.artifactserver.rest.server.guard.Watched.Taken;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.SelectableChannelEndPoint;

/**
 * Finds out for how long clients have taken nothing, although there is something for them. A client
 * that has taken everything waits for the server, however long that takes: a busy server comes late
 * to a socket that has room again. Used by one thread.
 *
 * @param sockets as the kernel has them now
 * @param now as {@link System#nanoTime} has it
 */
record Stalls(KernelSockets sockets, long now) {
  /**
   * Returns for how long a connection has held memory for a client that takes nothing; 0 if it does
   * not. In milliseconds, and no longer than the connection has been looked at. To be called for
   * each look.
   */
  long millis(Watched watched) {
    SelectableChannelEndPoint endPoint = watched.endPoint();
    Connection outer = endPoint.getConnection();
    if (outer == null
        || !(endPoint.getLocalSocketAddress() instanceof InetSocketAddress local)
        || !(endPoint.getRemoteSocketAddress() instanceof InetSocketAddress remote)) {
      return none(watched);
    }
    // The buffer of a head, a record or a piece waits with each write.
    boolean isWriting = endPoint.getWriteFlusher().isPending();
    Optional<Long> unconfirmed = sockets.unconfirmed(local.getPort(), remote);
    if (isWriting && unconfirmed.isPresent() && unconfirmed.get() == 0) {
      return none(watched);
    }
    long queue = unconfirmed.orElse(-1L);
    if (Watched.http(outer) instanceof HTTP2Connection http2) {
      HTTP2Session session = http2.getSession();
      Windows windows = Windows.of(session);
      // The client may have sent a larger window.
      if (!isWriting && (!windows.isClosed || sockets.hasUnread(local.getPort(), remote))) {
        return none(watched);
      }
      return age(watched, new Taken(queue, session.getBytesWritten(), windows.sum));
    }
    return isWriting
        ? Math.min(
            age(watched, new Taken(queue, outer.getBytesOut(), 0)),
            // Bytes that were written and confirmed between two looks leave the queue as it was.
            endPoint.getIdleFor())
        : none(watched);
  }

  /** Whether an answer waits for its client to let the server send more. */
  static boolean waitsForWindow(HTTP2Session session) {
    return Windows.of(session).isClosed;
  }

  private long age(Watched watched, Taken taken) {
    return TimeUnit.NANOSECONDS.toMillis(now - watched.takenNothingSince(taken, now));
  }

  private static long none(Watched watched) {
    watched.forgetTaken();
    return 0;
  }

  /**
   * The bytes that a client of HTTP/2 lets the server send.
   *
   * @param isClosed whether an answer waits for a window
   * @param sum in bytes
   */
  private record Windows(boolean isClosed, long sum) {
    static Windows of(HTTP2Session session) {
      long sum = session.getSendWindow();
      boolean isSessionClosed = sum <= 0;
      boolean isClosed = false;
      for (var each : session.getStreams()) {
        if (each instanceof HTTP2Stream stream) {
          sum += stream.getSendWindow();
          isClosed |= isWaiting(stream) && (isSessionClosed || stream.getSendWindow() <= 0);
        }
      }
      return new Windows(isClosed, sum);
    }

    /** Its answer has begun and not ended, and the server does not hold it back. */
    private static boolean isWaiting(HTTP2Stream stream) {
      return stream.isCommitted() && !stream.isLocallyClosed() && stream.getIdleTimeout() > 0;
    }
  }
}
