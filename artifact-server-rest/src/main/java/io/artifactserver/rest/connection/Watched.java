package io.artifactserver.rest.connection;

import io.artifactserver.core.limit.Network;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.SelectableChannelEndPoint;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.NegotiatingServerConnection;
import org.jspecify.annotations.Nullable;

/**
 * One open connection, and what the last sweep saw of it. The bodies come and go on any thread, and
 * so do answers that are held back; the rest is the sweep's own.
 */
final class Watched {
  private final SelectableChannelEndPoint endPoint;
  private final @Nullable Network client;
  private final @Nullable Refusal refusal;

  /** None until a body has to be waited for. */
  private volatile @Nullable Bodies bodies;

  private volatile @Nullable Runnable held;
  private volatile boolean isMissing;

  private long queueLength = -1;
  private long queueChangedNanos;
  private long windowNanos;
  private long windowBytes;

  /**
   * @param client that it counts for, or null
   * @param refusal or null if it is served
   */
  Watched(SelectableChannelEndPoint endPoint, @Nullable Network client, @Nullable Refusal refusal) {
    this.endPoint = endPoint;
    this.client = client;
    this.refusal = refusal;
    this.queueChangedNanos = System.nanoTime();
    this.windowNanos = queueChangedNanos;
  }

  SelectableChannelEndPoint endPoint() {
    return endPoint;
  }

  /** The connection that speaks HTTP; null while TLS shakes hands. */
  static @Nullable Connection http(Connection outer) {
    return outer instanceof SslConnection tls ? tls.getSslEndPoint().getConnection() : outer;
  }

  /**
   * Whether its client has not asked for anything, or for nothing more. One of HTTP/2 never is:
   * what those hold is bounded otherwise ({@link Holdings}).
   */
  boolean isIdle() {
    Connection outer = endPoint.getConnection();
    if (outer == null) {
      return false;
    }
    return switch (http(outer)) {
      case null -> true;
      case NegotiatingServerConnection _ -> true;
      case RequestProgress http ->
          http.stage() == RequestProgress.Stage.WAITING
              || http.stage() == RequestProgress.Stage.HEAD;
      default -> false;
    };
  }

  @Nullable Network client() {
    return client;
  }

  @Nullable Refusal refusal() {
    return refusal;
  }

  /**
   * The server holds an answer back, or sends it.
   *
   * @param left to be run when the client has gone meanwhile; null when the answer is sent
   */
  void hold(@Nullable Runnable left) {
    held = left;
    isMissing = false;
  }

  /** Whether the kernel does not know the socket, at this look and at the one before. */
  boolean isMissingAgain(boolean isMissingNow) {
    boolean wasMissing = isMissing;
    isMissing = isMissingNow;
    return wasMissing && isMissingNow;
  }

  /** What to run when the client has gone; null if no answer is held back. */
  @Nullable Runnable held() {
    return held;
  }

  Pace pace() {
    Bodies known = bodies;
    if (known == null) {
      synchronized (this) {
        known = bodies;
        if (known == null) {
          known = new Bodies();
          bodies = known;
        }
      }
    }
    return known;
  }

  /** Since when the kernel's queue of unconfirmed bytes has that length, in nanoseconds. */
  long queueUnchangedSince(long length, long now) {
    if (queueLength != length) {
      // Nobody knows of the first length how old it is: older than it seems, by this sweep.
      queueChangedNanos = now;
      queueLength = length;
    }
    return queueChangedNanos;
  }

  void forgetQueue() {
    queueLength = -1;
  }

  boolean isBodyWaitingForClient() {
    Bodies known = bodies;
    return known != null && known.current.stream().anyMatch(PacedBody::isWaitingForClient);
  }

  /** Counts bodies that had to be waited for. */
  long bytesTaken() {
    Bodies known = bodies;
    return known == null ? 0 : known.taken();
  }

  /** The window begins, or begins again. */
  void beginWindow(long now, long bytes) {
    windowNanos = now;
    windowBytes = bytes;
  }

  long windowNanos() {
    return windowNanos;
  }

  long windowBytes() {
    return windowBytes;
  }

  private static final class Bodies implements Pace {
    private final Set<PacedBody> current = ConcurrentHashMap.newKeySet();
    private final AtomicLong past = new AtomicLong();

    @Override
    public void watch(PacedBody body) {
      current.add(body);
    }

    @Override
    public void forget(PacedBody body) {
      if (current.remove(body)) {
        past.addAndGet(body.taken());
      }
    }

    private long taken() {
      return past.get() + current.stream().mapToLong(PacedBody::taken).sum();
    }
  }
}
