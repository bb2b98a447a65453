package io.artifactserver.rest.server.guard;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.settled;
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
import java.util.Optional;
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
  private static final Duration STALL_TIMEOUT = Duration.ofSeconds(40);

  private final ConnectionProperties properties = properties(STALL_TIMEOUT);

  private ServerSocketChannel listener;
  private Selector selector;
  private SocketChannel client;
  private SocketChannel accepted;
  private BusyEndPoint endPoint;
  private Watched watched;

  @BeforeEach
  void beginToWrite() throws IOException {
    listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    client = SocketChannel.open(listener.getLocalAddress());
    accepted = listener.accept();
    accepted.configureBlocking(false);
    selector = Selector.open();
    endPoint = new BusyEndPoint(accepted, selector);
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
      endPoint.pass(STALL_TIMEOUT.multipliedBy(2));
      assertThat(sweep(properties)).isEmpty();
    }
  }

  @Test
  void aClientThatTakesNothingIsEnded() throws Exception {
    fill();
    endPoint.pass(STALL_TIMEOUT.multipliedBy(2));
    // For how long it has been so is unknown at the first look.
    assertThat(sweep(properties)).isEmpty();
    endPoint.pass(STALL_TIMEOUT.multipliedBy(2));
    assertThat(sweep(properties)).contains(End.STALL);
  }

  /** It may be writing to a slow flash. */
  @Test
  void clientThatTakesNothingGivesWayBeforeItIsEnded() throws Exception {
    ConnectionProperties patient = properties(Duration.ofMinutes(10));
    fill();
    for (int look = 0; look < 3; look++) {
      assertThat(sweep(patient)).isEmpty();
      endPoint.pass(STALL_TIMEOUT.multipliedBy(2));
    }
    assertThat(watched.givesWay()).isTrue();
    // It has written, and reads on.
    client.read(ByteBuffer.allocate(4 << 20));
    eventually("it keeps its place", () -> sweep(patient).isEmpty() && !watched.givesWay());
  }

  /** As much as the two kernels take, and until the client's has confirmed what it will. */
  private void fill() throws IOException {
    ByteBuffer much = ByteBuffer.allocate(16 << 20);
    while (accepted.write(much) > 0) {
      assertThat(much.hasRemaining()).isTrue();
    }
    int port = ((InetSocketAddress) accepted.getLocalAddress()).getPort();
    InetSocketAddress remote = (InetSocketAddress) accepted.getRemoteAddress();
    settled(
        "the queue", Duration.ofMillis(100), () -> KernelSockets.read().unconfirmed(port, remote));
  }

  private Optional<End> sweep(ConnectionProperties judging) {
    return new Sweep(judging, endPoint.now()).end(watched);
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

  /** Has not come to write, though the socket has room. Time passes when the test says so. */
  private static final class BusyEndPoint extends SocketChannelEndPoint {
    private final long begin = System.nanoTime();
    private Duration passed = Duration.ZERO;

    BusyEndPoint(SocketChannel channel, Selector selector) throws IOException {
      super(channel, null, channel.register(selector, 0), new ScheduledExecutorScheduler());
    }

    private void pass(Duration time) {
      passed = passed.plus(time);
    }

    private long now() {
      return begin + passed.toNanos();
    }

    @Override
    public long getIdleFor() {
      return passed.toMillis();
    }

    @Override
    public boolean flush(ByteBuffer... buffers) {
      return false;
    }

    @Override
    protected void onIncompleteFlush() {}
  }
}
