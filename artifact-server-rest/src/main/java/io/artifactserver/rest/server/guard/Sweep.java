package io.artifactserver.rest.server.guard;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.SelectableChannelEndPoint;
import org.eclipse.jetty.server.NegotiatingServerConnection;
import org.jspecify.annotations.Nullable;

/** One look at the open connections. Used by one thread. */
final class Sweep {
  /** A connection that is refused has this time to send its request. */
  private static final Duration REFUSED_TIMEOUT = Duration.ofSeconds(5);

  /** Part of the time-out after which the kernel is asked. */
  private static final int SUSPECT_SHARE = 4;

  private final ConnectionProperties properties;
  private final long now;
  private @Nullable KernelSockets sockets;

  /**
   * @param now as {@link System#nanoTime} has it
   */
  Sweep(ConnectionProperties properties, long now) {
    this.properties = properties;
    this.now = now;
  }

  /** Whether, and why, a connection is to be ended. */
  Optional<End> end(Watched watched) {
    SelectableChannelEndPoint endPoint = watched.endPoint();
    Connection outer = endPoint.getConnection();
    if (outer == null) {
      // It is just being made, or changes its protocol.
      return Optional.empty();
    }
    Connection connection = Watched.http(outer);
    Duration idle = Duration.ofMillis(endPoint.getIdleFor());
    if (endPoint.getWriteFlusher().isPending()) {
      Duration stall = stall(watched, idle);
      if (stall.compareTo(properties.maxStall()) > 0) {
        return Optional.of(End.STALL);
      }
      watched.giveWay(isLong(stall));
      excuseStreams(connection);
      return tooSlow(watched, outer, false);
    }
    watched.forgetQueue();
    watched.giveWay(
        connection instanceof HTTP2Connection http2
            && isLong(idle)
            && Stalls.waitsForWindow(http2.getSession()));
    return switch (connection) {
      case null -> tooYoung(outer);
      case NegotiatingServerConnection handshake -> tooYoung(handshake);
      case RequestProgress http -> ofHttp(watched, outer, http, age(connection), idle);
      // HTTP/2 knows itself whether it has anything to do, and says goodbye.
      default -> {
        if (idle.compareTo(properties.idleTimeout()) > 0
            && connection.onIdleExpired(new TimeoutException("Idle for " + idle))) {
          yield Optional.of(End.IDLE);
        }
        yield Optional.empty();
      }
    };
  }

  private Optional<End> ofHttp(
      Watched watched, Connection outer, RequestProgress http, Duration age, Duration idle) {
    RequestProgress.Stage stage = http.stage();
    boolean isRefused = watched.refusal() != null;
    if (stage == RequestProgress.Stage.WAITING) {
      if (idle.compareTo(shortIf(isRefused, properties.idleTimeout())) > 0) {
        return Optional.of(End.IDLE);
      }
      // A handshake may dribble on and look busy.
      return http.requests() == 0
              && age.compareTo(properties.idleTimeout().plus(properties.requestTimeout())) > 0
          ? Optional.of(End.REQUEST)
          : Optional.empty();
    }
    if (stage == RequestProgress.Stage.HEAD) {
      long begin = http.headBeginNanos();
      return begin != 0
              && Duration.ofNanos(now - begin)
                      .compareTo(shortIf(isRefused, properties.requestTimeout()))
                  > 0
          ? Optional.of(End.REQUEST)
          : Optional.empty();
    }
    tellWhoHasLeft(watched);
    boolean isReading =
        stage == RequestProgress.Stage.BODY && watched.endPoint().isFillInterested();
    if (isReading && isLong(idle)) {
      return Optional.of(End.STALL);
    }
    return tooSlow(watched, outer, isReading);
  }

  private boolean isLong(Duration stall) {
    return stall.compareTo(properties.stallTimeout()) > 0;
  }

  /** For how long the client has taken nothing of what is being written. */
  private Duration stall(Watched watched, Duration idle) {
    if (idle.compareTo(properties.stallTimeout().dividedBy(SUSPECT_SHARE)) < 0) {
      watched.forgetQueue();
      return Duration.ZERO;
    }
    Optional<Long> queue = queueOf(watched.endPoint());
    if (queue.isPresent() && queue.get() == 0) {
      // The client has taken everything: a busy server comes late to its socket.
      watched.forgetQueue();
      return Duration.ZERO;
    }
    return queue
        .map(length -> Duration.ofNanos(now - watched.queueUnchangedSince(length, now)))
        .orElse(idle);
  }

  /**
   * HTTP/2 resets a stream of which nothing is written for a while. A stream whose client would
   * take more waits for the socket, and whether that is stalled is decided here.
   */
  private static void excuseStreams(@Nullable Connection connection) {
    if (connection instanceof HTTP2Connection http2) {
      for (Stream stream : http2.getSession().getStreams()) {
        if (stream instanceof HTTP2Stream waiting && waiting.updateSendWindow(0) > 0) {
          waiting.notIdle();
        }
      }
    }
  }

  private Optional<Long> queueOf(SelectableChannelEndPoint endPoint) {
    return endPoint.getLocalSocketAddress() instanceof InetSocketAddress local
            && endPoint.getRemoteSocketAddress() instanceof InetSocketAddress remote
        ? sockets().unconfirmed(local.getPort(), remote)
        : Optional.empty();
  }

  /** Nothing is read from a connection of HTTP/1.1 before its answer. */
  private void tellWhoHasLeft(Watched watched) {
    Runnable left = watched.held();
    SelectableChannelEndPoint endPoint = watched.endPoint();
    if (left != null
        && endPoint.getLocalSocketAddress() instanceof InetSocketAddress local
        && endPoint.getRemoteSocketAddress() instanceof InetSocketAddress remote
        && (sockets().isClosedByPeer(local.getPort(), remote)
            || watched.isMissingAgain(sockets().isMissing(local.getPort(), remote)))) {
      watched.hold(null);
      left.run();
    }
  }

  private KernelSockets sockets() {
    KernelSockets known = sockets;
    if (known == null) {
      known = KernelSockets.read();
      sockets = known;
    }
    return known;
  }

  private Optional<End> tooSlow(Watched watched, Connection connection, boolean isReading) {
    long minRate = properties.minRate().toBytes();
    if (minRate == 0) {
      return Optional.empty();
    }
    long bytes = connection.getBytesIn() + watched.bytesTaken();
    long elapsed = now - watched.windowNanos();
    // Time in which the server was busy is nobody's fault.
    boolean isWaiting = isReading || watched.isBodyWaitingForClient();
    if (isWaiting && elapsed < properties.rateWindow().toNanos()) {
      return Optional.empty();
    }
    boolean isTooFew =
        isWaiting && (bytes - watched.windowBytes()) * 1e9 / elapsed < (double) minRate;
    watched.beginWindow(now, bytes);
    return isTooFew ? Optional.of(End.RATE) : Optional.empty();
  }

  private Optional<End> tooYoung(Connection handshake) {
    return age(handshake).compareTo(properties.requestTimeout()) > 0
        ? Optional.of(End.REQUEST)
        : Optional.empty();
  }

  private static Duration age(Connection connection) {
    return Duration.ofMillis(System.currentTimeMillis() - connection.getCreatedTimeStamp());
  }

  private static Duration shortIf(boolean isRefused, Duration timeout) {
    return isRefused && timeout.compareTo(REFUSED_TIMEOUT) > 0 ? REFUSED_TIMEOUT : timeout;
  }
}
