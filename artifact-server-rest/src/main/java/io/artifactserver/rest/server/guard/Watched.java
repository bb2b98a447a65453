package io.artifactserver.rest.server.guard;

import io.artifactserver.core.limit.Network;
import java.util.concurrent.CopyOnWriteArrayList;
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
final class Watched implements Pace {
  private final SelectableChannelEndPoint endPoint;
  private final @Nullable Network client;
  private final @Nullable Refusal refusal;

  /** Bodies that had to be waited for: of HTTP/1.1 one at a time. */
  private final CopyOnWriteArrayList<PacedBody> bodies = new CopyOnWriteArrayList<>();

  /** Bytes taken from bodies that have ended. */
  private final AtomicLong takenBefore = new AtomicLong();

  private volatile @Nullable Runnable held;
  private volatile boolean isMissing;
  private volatile boolean givesWay;

  private @Nullable Taken lastTaken;
  private long takenNanos;
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

  /**
   * @param givesWay whether its client has taken nothing for so long that its place is free for
   *     others
   */
  void giveWay(boolean givesWay) {
    this.givesWay = givesWay;
  }

  /** Whether it may end for the sake of another. */
  boolean givesWay() {
    return givesWay || isIdle();
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

  /** Runs when the client has gone; null if no answer is held back. */
  @Nullable Runnable held() {
    return held;
  }

  @Override
  public void watch(PacedBody body) {
    bodies.addIfAbsent(body);
  }

  @Override
  public void forget(PacedBody body) {
    if (bodies.remove(body)) {
      takenBefore.addAndGet(body.taken());
    }
  }

  /** Since when the kernel's queue of unconfirmed bytes has that length, in nanoseconds. */
  long queueUnchangedSince(long length, long now) {
    if (queueLength != length) {
      // The age of the first reading is unknown.
      queueChangedNanos = now;
      queueLength = length;
    }
    return queueChangedNanos;
  }

  void forgetQueue() {
    queueLength = -1;
  }

  /** Since when the client has taken nothing, as far as the looks show; in nanoseconds. */
  long takenNothingSince(Taken taken, long now) {
    if (!taken.equals(lastTaken)) {
      lastTaken = taken;
      takenNanos = now;
    }
    return takenNanos;
  }

  /** It does not wait for its client now. */
  void forgetTaken() {
    lastTaken = null;
  }

  boolean isBodyWaitingForClient() {
    return bodies.stream().anyMatch(PacedBody::isWaitingForClient);
  }

  /** Counts bodies that had to be waited for. */
  long bytesTaken() {
    return takenBefore.get() + bodies.stream().mapToLong(PacedBody::taken).sum();
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

  /**
   * Figures that change whenever a client takes something.
   *
   * @param unconfirmed bytes in the kernel's queue; negative if it does not tell
   * @param sent bytes that the server has given the kernel, as far as it counts them
   * @param windows of HTTP/2
   */
  record Taken(long unconfirmed, long sent, long windows) {}
}
