package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.artifactserver.rest.server.guard.Connections;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

class BoundedHttpConnectionTest {
  private static final int MAX_LENGTH = 32 * 1024;

  private static final String HALF = "GET / HTTP/1.1\r\nHost: x\r\nHalf";

  private final MeterRegistry meters = new SimpleMeterRegistry();
  private final Connections connections = PatientConnections.create(meters);
  private final OvertakingPool pool = new OvertakingPool();
  private final Server server = new Server(pool);
  private final AtomicInteger readsAfterRefusal = new AtomicInteger();
  private final AtomicInteger readsBesideAnother = new AtomicInteger();
  private final AtomicReference<@Nullable Thread> firstReader = new AtomicReference<>();

  /** Whether the connection is closed when its second read begins. */
  private volatile boolean isClosedByReading;

  private final ListAppender<ILoggingEvent> parser = new ListAppender<>();

  /** Why the one connection ended. */
  private final CompletableFuture<Optional<Throwable>> end = new CompletableFuture<>();

  @AfterEach
  void stop() throws Exception {
    Logger logger = (Logger) LoggerFactory.getLogger(HttpParser.class);
    logger.detachAppender(parser);
    logger.setLevel(null);
    logger.setAdditive(true);
    server.stop();
    connections.close();
  }

  /**
   * Jetty refuses on another thread, which then went on to read the connection, while the thread
   * that had read the request did so, too. They used one buffer, and both gave it back.
   */
  @ParameterizedTest
  @ValueSource(strings = {"", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "more"})
  void aRefusedConnectionIsReadByOneThread(String more) throws Exception {
    ServerConnector connector = start(16);
    try (Socket socket = connect(connector)) {
      send(socket, "GET / HTTP/1.1\r\nHost: x\r\nBad header\r\n\r\n" + more);
      assertThat(received(socket)).startsWith("HTTP/1.1 400 ").containsOnlyOnce("HTTP/1.1");
    }
    assertThat(end.get(120, TimeUnit.SECONDS)).isEmpty();
    assertThat(readsAfterRefusal).hasValue(0);
  }

  /**
   * As the sweep does to make room. Jetty has another thread clear away what the first still has.
   */
  @Test
  void aConnectionThatIsClosedInAHeadIsReadByOneThread() throws Exception {
    isClosedByReading = true;
    ServerConnector connector = start(16);
    try (Socket socket = connect(connector)) {
      send(socket, HALF);
      end.get(120, TimeUnit.SECONDS);
      // The threads go on for a moment.
      server.stop();
    }
    assertThat(pool.overtook).isTrue();
    assertThat(readsBesideAnother).hasValue(0);
  }

  /** Jetty starts a thread for each, to answer 400 to nobody. */
  @ParameterizedTest
  @ValueSource(strings = {"G", "GET / HTTP/1.1\r\n", HALF})
  void aConnectionThatEndsWithinAHeadIsNotAnswered(String head) throws Exception {
    ServerConnector connector = start(16);
    try (Socket socket = connect(connector)) {
      send(socket, head);
      socket.shutdownOutput();
      assertThat(socket.getInputStream().readAllBytes()).isEmpty();
    }
    assertThat(end.get(120, TimeUnit.SECONDS)).isEmpty();
    assertThat(pool.hasRefused).isFalse();
  }

  @Test
  void aHeadThatIsTooLongIsRefusedWithoutItsEnd() throws Exception {
    ServerConnector connector = start(16);
    try (Socket socket = connect(connector)) {
      send(socket, HALF + "x".repeat(MAX_LENGTH - HALF.length()));
      await().untilAsserted(() -> assertThat(held()).isGreaterThan(MAX_LENGTH));
      send(socket, "x");
      assertThat(received(socket)).startsWith("HTTP/1.1 431 ").containsOnlyOnce("HTTP/1.1");
    }
  }

  /** Each field takes more memory than a short one has bytes. */
  @Test
  void aHeadCountsWhileItComes() throws Exception {
    ServerConnector connector = start(16);
    try (Socket socket = connect(connector)) {
      send(socket, "GET / HTTP/1.1\r\nHost: x\r\n" + "a:b\r\n".repeat(200) + "Half");
      await().untilAsserted(() -> assertThat(held()).isBetween(30_000.0, 40_000.0));
      send(socket, ": x\r\nConnection: close\r\n\r\n");
      assertThat(received(socket)).startsWith("HTTP/1.1 404 ");
      await().untilAsserted(() -> assertThat(held()).isZero());
    }
  }

  /** A buffer outside the heap would be freed by a whole collection only. */
  @ParameterizedTest
  @ValueSource(strings = {"", "what follows"})
  void whatFollowsThePrefaceOfHttp2IsKeptOnTheHeap(String rest) throws Exception {
    Http2 http2 = new Http2();
    ServerConnector connector = start(16, http2);
    try (Socket socket = connect(connector)) {
      send(socket, "PRI * HTT");
      await().untilAsserted(() -> assertThat(held()).isPositive());
      send(socket, "P/2.0\r\n\r\n" + rest);
      assertThat(http2.rest.get(120, TimeUnit.SECONDS)).isEqualTo(rest);
      await().untilAsserted(() -> assertThat(held()).isZero());
    }
  }

  private Socket connect(ServerConnector connector) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort());
    socket.setSoTimeout(120_000);
    return socket;
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private static String received(Socket socket) throws IOException {
    return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
  }

  private double held() {
    return meters.get("artifact_server.connections.held").gauge().value();
  }

  /**
   * Jetty gives up a body that nobody wants after some reads, and its connection. Then it parsed
   * on, for a request that it had forgotten.
   */
  @ParameterizedTest
  @ValueSource(strings = {"0123456789", "01234"})
  void aBodyThatIsGivenUpIsNotParsed(String body) throws Exception {
    // It catches whatever is thrown.
    Logger logger = (Logger) LoggerFactory.getLogger(HttpParser.class);
    parser.start();
    logger.addAppender(parser);
    logger.setLevel(Level.DEBUG);
    logger.setAdditive(false);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            Thread reader = Thread.currentThread();
            Thread.ofPlatform()
                .start(() -> {
                  awaitLeft(reader);
                  response.write(true, ByteBuffer.allocate(1), callback);
                });
            return true;
          }
        });
    ServerConnector connector = start(1);
    try (Socket socket = connect(connector)) {
      send(socket, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n" + body);
      assertThat(received(socket)).startsWith("HTTP/1.1 200 ").containsOnlyOnce("HTTP/1.1");
    }
    end.get(120, TimeUnit.SECONDS);
    // The thread that ended it goes on for a moment.
    server.stop();
    assertThat(parser.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .anyMatch(line -> line.startsWith("parseNext"))
        .noneMatch(line -> line.startsWith("Parse exception"));
  }

  private static void awaitLeft(Thread reader) {
    while (isIn(reader)) {
      Thread.onSpinWait();
    }
  }

  private static boolean isIn(Thread reader) {
    return Stream.of(reader.getStackTrace())
        .anyMatch(frame -> frame.getClassName().equals(HttpConnection.class.getName()));
  }

  /**
   * @param maxReads of a body that nobody wants
   * @param others beside HTTP/1.1
   */
  private ServerConnector start(int maxReads, ConnectionFactory... others) throws Exception {
    HttpConnectionFactory http =
        new BoundedHttpConnection.Factory(
            new HttpConnectionFactory(), connections, new Newcomers(_ -> Optional.empty()));
    http.getHttpConfiguration().setMaxUnconsumedRequestContentReads(maxReads);
    http.getHttpConfiguration().setRequestHeaderSize(MAX_LENGTH);
    ServerConnector connector =
        new ServerConnector(server, 1, 1, http) {
          @Override
          protected SocketChannelEndPoint newEndPoint(
              SocketChannel channel, ManagedSelector selector, SelectionKey key) {
            return new SocketChannelEndPoint(channel, selector, key, getScheduler()) {
              @Override
              public int fill(ByteBuffer buffer) throws IOException {
                if (pool.hasRefused) {
                  readsAfterRefusal.incrementAndGet();
                }
                Thread current = Thread.currentThread();
                Thread first = firstReader.get();
                if (first == null) {
                  firstReader.set(current);
                } else if (!first.equals(current) && isIn(first)) {
                  readsBesideAnother.incrementAndGet();
                } else if (isClosedByReading) {
                  close();
                  return -1;
                }
                return super.fill(buffer);
              }

              @Override
              public void onClose(@Nullable Throwable cause) {
                super.onClose(cause);
                end.complete(Optional.ofNullable(cause));
              }
            };
          }
        };
    Stream.of(others).forEach(connector::addConnectionFactory);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    connections.watch(server);
    server.start();
    return connector;
  }

  /** Takes the connections that speak it, and reads nothing from them. */
  private static final class Http2 extends AbstractConnectionFactory
      implements ConnectionFactory.Upgrading {
    private final CompletableFuture<String> rest = new CompletableFuture<>();

    private Http2() {
      super("h2c");
    }

    @Override
    public Connection upgradeConnection(
        Connector connector,
        EndPoint endPoint,
        MetaData.Request request,
        HttpFields.Mutable fields) {
      return newConnection(connector, endPoint);
    }

    @Override
    public Connection newConnection(Connector connector, EndPoint endPoint) {
      return new Taken(endPoint, connector.getExecutor());
    }

    private final class Taken extends AbstractConnection implements Connection.UpgradeTo {
      private Taken(EndPoint endPoint, Executor executor) {
        super(endPoint, executor);
      }

      @Override
      public void onUpgradeTo(ByteBuffer buffer) {
        assertThat(buffer.isDirect()).isFalse();
        rest.complete(StandardCharsets.US_ASCII.decode(buffer).toString());
      }

      @Override
      public void onOpen() {
        super.onOpen();
        rest.complete("");
      }

      @Override
      public void onFillable() {}
    }
  }

  /** The other thread does what it can of what it was given before the first goes on. */
  private static final class OvertakingPool extends QueuedThreadPool {
    private volatile boolean hasRefused;
    private volatile boolean overtook;

    @Override
    public boolean tryExecute(Runnable task) {
      if (!task.getClass().getName().contains("HttpChannelState")) {
        return super.tryExecute(task);
      }
      hasRefused = true;
      overtake(task);
      return true;
    }

    @Override
    public void execute(Runnable job) {
      if (job instanceof HttpConnection) {
        overtook = true;
        overtake(job);
      } else {
        super.execute(job);
      }
    }

    private static void overtake(Runnable task) {
      Thread other = Thread.ofPlatform().start(task);
      while (other.isAlive() && other.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
  }
}
