package io.artifactserver.rest.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.connection.Connections;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.ManagedSelector;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.internal.HttpConnection;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BoundedHttpConnectionTest {
  private final Connections connections = PatientConnections.create();
  private final OvertakingPool pool = new OvertakingPool();
  private final Server server = new Server(pool);
  private final AtomicInteger readsAfterRefusal = new AtomicInteger();

  /** Why the one connection ended. */
  private final CompletableFuture<Optional<Throwable>> end = new CompletableFuture<>();

  @AfterEach
  void stop() throws Exception {
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
    ServerConnector connector = start();
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
      socket.setSoTimeout(120_000);
      socket
          .getOutputStream()
          .write(
              ("GET / HTTP/1.1\r\nHost: x\r\nBad header\r\n\r\n" + more)
                  .getBytes(StandardCharsets.US_ASCII));
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      assertThat(answer).startsWith("HTTP/1.1 400 ").containsOnlyOnce("HTTP/1.1");
    }
    assertThat(end.get(120, TimeUnit.SECONDS)).isEmpty();
    assertThat(readsAfterRefusal).hasValue(0);
  }

  private ServerConnector start() throws Exception {
    HttpConnectionFactory http =
        new BoundedHttpConnection.Factory(
            new HttpConnectionFactory(), connections, new Newcomers(_ -> Optional.empty()));
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
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    connections.watch(server);
    server.start();
    return connector;
  }

  /** The other thread has always done what it was given before the first goes on. */
  private static final class OvertakingPool extends QueuedThreadPool {
    private volatile boolean hasRefused;

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
        overtake(job);
      } else {
        super.execute(job);
      }
    }

    private static void overtake(Runnable task) {
      Thread other = Thread.ofPlatform().start(task);
      try {
        other.join();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
