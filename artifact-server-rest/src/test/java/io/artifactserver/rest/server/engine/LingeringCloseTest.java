package io.artifactserver.rest.server.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LingeringCloseTest {
  /** Fits into the sockets of one side, and not into one read. */
  private static final int LENGTH = 100_000;

  private final AtomicLong time = new AtomicLong();
  private final LingeringClose lingering = new LingeringClose(time::get);
  private final List<SocketChannel> clients = new ArrayList<>();
  private ServerSocketChannel listener;

  @BeforeEach
  void listen() throws IOException {
    listener = ServerSocketChannel.open();
    listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  @AfterEach
  void close() throws IOException {
    lingering.close();
    for (SocketChannel client : clients) {
      client.close();
    }
    listener.close();
  }

  private SocketChannel accepted() throws IOException {
    clients.add(SocketChannel.open(listener.getLocalAddress()));
    SocketChannel server = listener.accept();
    server.configureBlocking(false);
    return server;
  }

  private SocketChannel client() {
    return clients.getLast();
  }

  private static void send(SocketChannel client) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(LENGTH);
    while (bytes.hasRemaining()) {
      client.write(bytes);
    }
  }

  private static byte[] received(SocketChannel client) throws IOException {
    return client.socket().getInputStream().readAllBytes();
  }

  @Test
  void theClientGetsAllWhateverItSends() throws IOException {
    SocketChannel server = accepted();
    send(client());
    ByteBuffer answer = ByteBuffer.allocate(LENGTH);
    while (answer.hasRemaining()) {
      server.write(answer);
    }
    lingering.close(server);
    for (int i = 0; i < 100; i++) {
      send(client());
    }
    assertThat(received(client())).hasSize(LENGTH);
    assertThat(server.isOpen()).isTrue();
    client().shutdownOutput();
    eventually("the client's end is seen", () -> !server.isOpen());
  }

  @Test
  void nothingIsSentAnyMore() throws IOException {
    SocketChannel server = accepted();
    lingering.close(server);
    assertThatThrownBy(() -> server.write(ByteBuffer.allocate(1)))
        .isInstanceOf(ClosedChannelException.class);
    assertThat(received(client())).isEmpty();
  }

  @Test
  void aClientThatSaysNothingHasItsTime() throws IOException {
    SocketChannel server = accepted();
    lingering.close(server);
    awaitAdmitted();
    time.addAndGet(LingeringClose.PAUSE.toNanos());
    awaitAdmitted();
    assertThat(server.isOpen()).isTrue();
    time.addAndGet(1);
    eventually("its time is over", () -> !server.isOpen());
  }

  @Test
  void aClientThatSendsOnIsEnded() throws IOException {
    SocketChannel server = accepted();
    SocketChannel client = client();
    lingering.close(server);
    awaitAdmitted();
    eventually(
        "its time is over",
        () -> {
          try {
            send(client);
          } catch (IOException e) {
            return true;
          }
          time.addAndGet(LingeringClose.PAUSE.toNanos() / 2);
          return false;
        });
    eventually("the socket is closed", () -> !server.isOpen());
    assertThat(time.get()).isGreaterThan(LingeringClose.TIME.toNanos());
  }

  @Test
  void theOldestMakesRoom() throws IOException {
    List<SocketChannel> servers = new ArrayList<>();
    for (int i = 0; i <= LingeringClose.MAX_SOCKETS; i++) {
      servers.add(accepted());
      lingering.close(servers.getLast());
    }
    eventually("there is room for the last", () -> !servers.getFirst().isOpen());
    awaitAdmitted();
    assertThat(servers.subList(2, servers.size())).allMatch(SocketChannel::isOpen);
  }

  @Test
  void aSocketThatIsClosedAlready() throws IOException {
    SocketChannel server = accepted();
    server.close();
    lingering.close(server);
    awaitAdmitted();
  }

  @Test
  void theEndClosesAll() throws IOException {
    SocketChannel before = accepted();
    lingering.close(before);
    lingering.close();
    assertThat(before.isOpen()).isFalse();
    SocketChannel after = accepted();
    lingering.close(after);
    assertThat(after.isOpen()).isFalse();
  }

  /** Sockets given before have been seen to when a later one is gone. */
  private void awaitAdmitted() throws IOException {
    SocketChannel last = accepted();
    lingering.close(last);
    client().shutdownOutput();
    eventually("the thread has come by", () -> !last.isOpen());
  }
}
