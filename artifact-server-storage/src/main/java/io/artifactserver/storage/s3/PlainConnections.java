package io.artifactserver.storage.s3;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;

/**
 * Kept connections to an S3 server without TLS, which is one near by: there, what a general HTTP
 * client does for a request takes longer than the server. They know answers of plain HTTP/1.1 with
 * a Content-Length, and give up at anything else. Thread-safe.
 */
final class PlainConnections implements AutoCloseable {
  /** Servers end what is idle after 30 s (Jetty) and more. */
  private static final Duration MAX_IDLE = Duration.ofSeconds(15);

  /** As of the SDK's: a name may lead elsewhere by then. */
  private static final Duration MAX_AGE = Duration.ofMinutes(5);

  private static final Duration SWEEP = Duration.ofMillis(250);

  private final String host;
  private final int port;
  private final Duration connectTimeout;
  private final Duration readTimeout;
  private final Semaphore places;

  /** The last used one first. */
  private final ConcurrentLinkedDeque<PlainConnection> idle = new ConcurrentLinkedDeque<>();

  private final Set<PlainConnection> inUse = ConcurrentHashMap.newKeySet();
  private final Thread sweeper;
  private volatile boolean isClosed;

  /**
   * @param readTimeout for any byte
   * @param maxConnections in use at once
   */
  PlainConnections(
      String host, int port, Duration connectTimeout, Duration readTimeout, int maxConnections) {
    this.host = host;
    this.port = port;
    this.connectTimeout = connectTimeout;
    this.readTimeout = readTimeout;
    this.places = new Semaphore(maxConnections);
    this.sweeper = Thread.ofVirtual().name("s3-connections").start(this::sweepUntilClosed);
  }

  boolean isFor(String otherHost, int otherPort) {
    return host.equals(otherHost) && port == otherPort;
  }

  /**
   * Takes a kept connection, or a new one, to be asked once and then finished or aborted.
   *
   * @return empty if as many as may be are in use
   */
  Optional<PlainConnection> take() throws IOException {
    Optional<PlainConnection> kept = takeKept();
    if (kept.isPresent() || isClosed || !places.tryAcquire()) {
      return kept;
    }
    try {
      return Optional.of(
          begun(PlainConnection.open(this, new InetSocketAddress(host, port), connectTimeout)));
    } catch (Throwable e) {
      places.release();
      throw e;
    }
  }

  /** Takes a connection if one is kept, to be asked once and then finished or aborted. */
  Optional<PlainConnection> takeKept() {
    if (isClosed || !places.tryAcquire()) {
      return Optional.empty();
    }
    PlainConnection connection = idle.pollFirst();
    if (connection == null) {
      places.release();
      return Optional.empty();
    }
    return Optional.of(begun(connection));
  }

  /** Called once for each that was asked. */
  void givenBack(PlainConnection connection, boolean isKept) {
    inUse.remove(connection);
    if (isKept && !isClosed && connection.age(System.nanoTime()) < MAX_AGE.toNanos()) {
      idle.addFirst(connection);
    } else {
      connection.close();
    }
    places.release();
  }

  @Override
  public void close() {
    isClosed = true;
    sweeper.interrupt();
    inUse.forEach(PlainConnection::abort);
    closeIdle(Long.MIN_VALUE);
  }

  private PlainConnection begun(PlainConnection connection) {
    connection.begin();
    inUse.add(connection);
    return connection;
  }

  private void sweepUntilClosed() {
    try {
      while (!isClosed) {
        Thread.sleep(SWEEP);
        long now = System.nanoTime();
        inUse.forEach(connection -> connection.endIfStalled(now, readTimeout.toNanos()));
        closeIdle(MAX_IDLE.toNanos());
      }
    } catch (InterruptedException _) {
      // Closed.
    }
  }

  private void closeIdle(long minIdleNanos) {
    long now = System.nanoTime();
    idle.removeIf(connection -> {
      boolean isOld = connection.idleTime(now) > minIdleNanos;
      if (isOld) {
        connection.close();
      }
      return isOld;
    });
  }
}
