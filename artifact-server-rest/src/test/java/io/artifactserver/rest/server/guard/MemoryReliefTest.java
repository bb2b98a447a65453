package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.AbstractConnection;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Nobody looks at a real kernel or clock here: what they say is written down. */
class MemoryReliefTest {
  private static final long STALL = MemoryRelief.MIN_STALL.toMillis();

  @TempDir private Path folder;

  private final List<AutoCloseable> open = new ArrayList<>();
  private final List<Client> clients = new ArrayList<>();
  private ServerSocketChannel listener;
  private Selector selector;
  private long nowMillis = 7;

  @BeforeEach
  void listen() throws IOException {
    listener = keep(ServerSocketChannel.open());
    listener.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
    selector = keep(Selector.open());
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable each : open.reversed()) {
      each.close();
    }
  }

  /** It has taken all there was. That the server has not seen to it is not its fault. */
  @Test
  void aClientOfABusyServerIsNotEnded() throws Exception {
    Client waiting = client().write();
    Client dead = client().write();
    waiting.queue = 0;
    waiting.idleMillis = 10 * STALL;
    dead.queue = 50_000;
    dead.idleMillis = STALL;
    assertThat(look()).isEmpty();
    pass(STALL);
    assertThat(look()).containsExactly(dead);
  }

  @Test
  void aClientThatReadsSlowlyIsNotEnded() throws Exception {
    Client slow = client().write();
    slow.queue = 50_000;
    for (int i = 0; i < 20; i++) {
      slow.queue -= 100;
      assertThat(look()).isEmpty();
      pass(STALL - 1);
    }
    assertThat(look()).isEmpty();
    pass(1);
    assertThat(look()).containsExactly(slow);
  }

  /** At full speed the queue is as long as before, and nothing in it the same. */
  @Test
  void aFullQueueThatMovesIsNotAStall() throws Exception {
    Client fast = client().write();
    fast.queue = 2_500_000;
    for (int i = 0; i < 20; i++) {
      assertThat(look()).isEmpty();
      pass(STALL);
      fast.idleMillis = 3;
    }
  }

  /** A request in the queue, a read of the disk, a limit: there is nothing that it could take. */
  @Test
  void aClientForWhichNothingIsWrittenIsNotEnded() throws Exception {
    Client queued = client();
    queued.queue = 1000;
    queued.idleMillis = 10 * STALL;
    for (int i = 0; i < 5; i++) {
      assertThat(look()).isEmpty();
      pass(STALL);
    }
  }

  @Test
  void ofManyAnEighthGoesThoseThatStalledFirst() throws Exception {
    for (int i = 0; i < 16; i++) {
      client().write().queue = 50_000;
      look();
      pass(1);
    }
    pass(STALL);
    assertThat(look()).containsExactlyInAnyOrder(clients.get(0), clients.get(1));
  }

  /** Other systems do not tell: then the server's own writes do. */
  @Test
  void withoutAKernelThatTellsTheLastWriteCounts() throws Exception {
    Client client = client().write();
    client.queue = -1;
    look();
    pass(STALL);
    assertThat(look()).containsExactly(client);
    client.idleMillis = STALL - 1;
    assertThat(look()).isEmpty();
  }

  private List<Client> look() throws IOException {
    List<String> table = new ArrayList<>();
    table.add("  sl  local_address rem_address   st");
    for (Client client : clients) {
      if (client.queue >= 0) {
        table.add(
            "0: 0100007F:%04X 0100007F:%04X 01 %08X:00000000 00:00000000 0 0 0 1 1 0"
                .formatted(port(listener.getLocalAddress()), client.port, client.queue));
      }
    }
    KernelSockets sockets = KernelSockets.read(List.of(Files.write(folder.resolve("tcp"), table)));
    List<Watched> ended =
        MemoryRelief.choose(
            clients.stream().map(Client::watched).toList(),
            sockets,
            TimeUnit.MILLISECONDS.toNanos(nowMillis));
    return clients.stream().filter(client -> ended.contains(client.watched)).toList();
  }

  private void pass(long millis) {
    nowMillis += millis;
    clients.forEach(client -> client.idleMillis += millis);
  }

  private Client client() throws IOException {
    SocketChannel socket = keep(SocketChannel.open(listener.getLocalAddress()));
    SocketChannel accepted = keep(listener.accept());
    accepted.configureBlocking(false);
    Client client =
        new Client(port(socket.getLocalAddress()), accepted, accepted.register(selector, 0));
    clients.add(client);
    return client;
  }

  private <T extends AutoCloseable> T keep(T each) {
    open.add(each);
    return each;
  }

  private static int port(java.net.SocketAddress address) {
    return ((InetSocketAddress) address).getPort();
  }

  /** A client, as the server sees it. */
  private static final class Client extends SocketChannelEndPoint {
    private final int port;
    private final Watched watched = new Watched(this, null, null);
    private int queue;
    private long idleMillis;

    Client(int port, SocketChannel accepted, SelectionKey key) {
      super(accepted, null, key, new ScheduledExecutorScheduler());
      this.port = port;
      setConnection(new Idle(this));
    }

    Watched watched() {
      return watched;
    }

    /** Its socket is full, and the rest waits. */
    Client write() {
      write(Callback.NOOP, ByteBuffer.allocate(1));
      return this;
    }

    @Override
    public boolean flush(ByteBuffer... buffers) {
      return false;
    }

    @Override
    protected void onIncompleteFlush() {}

    @Override
    public long getIdleFor() {
      return idleMillis;
    }
  }

  private static final class Idle extends AbstractConnection {
    Idle(SocketChannelEndPoint endPoint) {
      super(endPoint, Runnable::run);
    }

    @Override
    public void onFillable() {}
  }
}
