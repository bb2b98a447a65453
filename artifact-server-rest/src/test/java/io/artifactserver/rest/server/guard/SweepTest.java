package io.artifactserver.rest.server.guard;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.util.unit.DataSize;

/** An answer waits to be written for longer than a client may take nothing. */
class SweepTest {
  private static final Duration STALL_TIMEOUT = Duration.ofMillis(40);

  private final ConnectionProperties properties = properties(STALL_TIMEOUT);

  private ServerSocketChannel listener;
  private Selector selector;
  private SocketChannel client;
  private SocketChannel accepted;
  private Watched watched;

  @BeforeEach
  void beginToWrite() throws IOException {
    listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    client = SocketChannel.open(listener.getLocalAddress());
    accepted = listener.accept();
    accepted.configureBlocking(false);
    selector = Selector.open();
    BusyEndPoint endPoint = new BusyEndPoint(accepted, selector);
    endPoint.setConnection(
        new AbstractConnection(endPoint, Runnable::run) {
          @Override
          public void onFillable() {}
        });
    endPoint.write(Callback.NOOP, ByteBuffer.allocate(100));
    watched = new Watched(endPoint, null, null);
  }

  @AfterEach
  void close() throws IOException {
    selector.close();
    accepted.close();
    client.close();
    listener.close();
  }

  /** It may have many others to write to, who are as fast as it is. */
  @Test
  void aBusyServerIsNoStalledClient() throws Exception {
    for (int look = 0; look < 5; look++) {
      Thread.sleep(STALL_TIMEOUT.multipliedBy(2));
      assertThat(new Sweep(properties).end(watched)).isEmpty();
    }
  }

  @Test
  void aClientThatTakesNothingIsEnded() throws Exception {
    ByteBuffer much = ByteBuffer.allocate(16 << 20);
    while (accepted.write(much) > 0) {
      assertThat(much.hasRemaining()).isTrue();
    }
    Thread.sleep(STALL_TIMEOUT.multipliedBy(2));
    // For how long it has been so is unknown at the first look.
    assertThat(new Sweep(properties).end(watched)).isEmpty();
    Thread.sleep(STALL_TIMEOUT.multipliedBy(2));
    assertThat(new Sweep(properties).end(watched)).contains(End.STALL);
  }

  /** It may be writing to a slow flash. */
  @Test
  void clientThatTakesNothingGivesWayBeforeItIsEnded() throws Exception {
    ConnectionProperties patient = properties(Duration.ofMinutes(10));
    ByteBuffer much = ByteBuffer.allocate(16 << 20);
    while (accepted.write(much) > 0) {
      assertThat(much.hasRemaining()).isTrue();
    }
    for (int look = 0; look < 3; look++) {
      assertThat(new Sweep(patient).end(watched)).isEmpty();
      Thread.sleep(STALL_TIMEOUT.multipliedBy(2));
    }
    assertThat(watched.givesWay()).isTrue();
    // It has written, and reads on.
    client.read(ByteBuffer.allocate(4 << 20));
    eventually(
        "it keeps its place",
        () -> new Sweep(patient).end(watched).isEmpty() && !watched.givesWay());
  }

  private static ConnectionProperties properties(Duration maxStall) {
    return new ConnectionProperties(
        1000,
        0,
        List.of(),
        Duration.ofMinutes(1),
        Duration.ofMinutes(1),
        STALL_TIMEOUT,
        maxStall,
        DataSize.ofBytes(0),
        Duration.ofMinutes(1),
        DataSize.ofMegabytes(64));
  }

  /** Has not come to write, though the socket has room. */
  private static final class BusyEndPoint extends SocketChannelEndPoint {
    BusyEndPoint(SocketChannel channel, Selector selector) throws IOException {
      super(channel, null, channel.register(selector, 0), new ScheduledExecutorScheduler());
    }

    @Override
    public boolean flush(ByteBuffer... buffers) {
      return false;
    }

    @Override
    protected void onIncompleteFlush() {}
  }
}
