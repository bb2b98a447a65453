package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpURI;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.FlowControlStrategy;
import org.eclipse.jetty.http2.HTTP2Connection;
import org.eclipse.jetty.http2.HTTP2Session;
import org.eclipse.jetty.http2.HTTP2Stream;
import org.eclipse.jetty.http2.SimpleFlowControlStrategy;
import org.eclipse.jetty.http2.api.Session;
import org.eclipse.jetty.http2.api.Stream;
import org.eclipse.jetty.http2.frames.HeadersFrame;
import org.eclipse.jetty.http2.generator.Generator;
import org.eclipse.jetty.http2.parser.Parser;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.io.ByteBufferPool;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A client of HTTP/2 closes a window, which its socket does not show. */
class StallsTest {
  private static final int WINDOW = FlowControlStrategy.DEFAULT_WINDOW_SIZE;

  @TempDir private Path folder;

  private ServerSocketChannel listener;
  private Selector selector;
  private SocketChannel client;
  private SocketChannel accepted;
  private HTTP2Session session;
  private HTTP2Stream stream;
  private Watched watched;
  private long nowMillis = 5;

  @BeforeEach
  void connect() throws IOException {
    listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    client = SocketChannel.open(listener.getLocalAddress());
    accepted = listener.accept();
    accepted.configureBlocking(false);
    selector = Selector.open();
    SelectionKey key = accepted.register(selector, 0);
    SocketChannelEndPoint endPoint =
        new SocketChannelEndPoint(accepted, null, key, new ScheduledExecutorScheduler());
    ByteBufferPool pool = new ArrayByteBufferPool();
    session = new OpenSession(endPoint, pool);
    endPoint.setConnection(new HTTP2Connection(pool, Runnable::run, endPoint, session, 1024) {});
    stream =
        (HTTP2Stream)
            session.newUpgradeStream(
                new HeadersFrame(1, request(), null, false),
                Stream.Listener.AUTO_DISCARD,
                failure -> {
                  throw new AssertionError(failure);
                });
    stream.setIdleTimeout(1000);
    watched = new Watched(endPoint, null, null);
  }

  @AfterEach
  void close() throws IOException {
    selector.close();
    accepted.close();
    client.close();
    listener.close();
  }

  @Test
  void aClosedWindowBeforeAnAnswerIsAStall() throws Exception {
    stream.commit();
    session.updateSendWindow(-WINDOW);
    assertThat(stalledAfter(0, 0)).isZero();
    assertThat(stalledAfter(700, 0)).isEqualTo(700);
    assertThat(stalledAfter(600, 0)).isEqualTo(1300);
    session.updateSendWindow(1);
    assertThat(stalledAfter(100, 0)).isZero();
    session.updateSendWindow(-1);
    stream.updateSendWindow(-WINDOW);
    assertThat(stalledAfter(100, 0)).isZero();
    assertThat(stalledAfter(100, 0)).isEqualTo(100);
  }

  /** The frame that opens the window may be what the server has not read. */
  @Test
  void aBusyServerHasNotReadEverything() throws Exception {
    stream.commit();
    session.updateSendWindow(-WINDOW);
    for (int i = 0; i < 5; i++) {
      assertThat(stalledAfter(1000, 13)).isZero();
    }
  }

  @Test
  void aRequestThatWaitsForTheServerIsNoStall() throws Exception {
    session.updateSendWindow(-WINDOW);
    assertThat(stalledAfter(0, 0) + stalledAfter(5000, 0)).as("not begun").isZero();
    stream.commit();
    stream.setIdleTimeout(0);
    assertThat(stalledAfter(0, 0) + stalledAfter(5000, 0)).as("held back").isZero();
  }

  private long stalledAfter(long millis, int unread) throws IOException {
    nowMillis += millis;
    String line =
        "0: 0100007F:%04X 0100007F:%04X 01 00000000:%08X 00:00000000 0 0 0 1 1 0"
            .formatted(port(listener), client.socket().getLocalPort(), unread);
    Path table = Files.write(folder.resolve("tcp"), List.of("  sl  local_address", line));
    return new Stalls(KernelSockets.read(List.of(table)), TimeUnit.MILLISECONDS.toNanos(nowMillis))
        .millis(watched);
  }

  private static int port(ServerSocketChannel listener) {
    return listener.socket().getLocalPort();
  }

  private static MetaData.Request request() {
    return new MetaData.Request(
        "GET", HttpURI.from("http://device/"), HttpVersion.HTTP_2, HttpFields.EMPTY);
  }

  private static final class OpenSession extends HTTP2Session {
    OpenSession(EndPoint endPoint, ByteBufferPool pool) {
      super(
          new ScheduledExecutorScheduler(),
          endPoint,
          new Parser(pool, 1024),
          new Generator(pool),
          new Session.Listener() {},
          new SimpleFlowControlStrategy(WINDOW),
          1);
    }
  }
}
