package io.artifactserver.rest.server.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.server.guard.Connections;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Invocable;
import org.eclipse.jetty.util.thread.Invocable.InvocationType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class Http2RequestTest {
  private static final int PATIENCE_SECONDS = 20;

  private final Server server = new Server();
  private final ServerConnector connector;
  private final Connections connections = PatientConnections.create();

  /** Those that wait for their bodies. */
  private final List<Reader> readers = new CopyOnWriteArrayList<>();

  /** Holds the connection's thread back in the first reader that is told. */
  private final CountDownLatch mayGoOn = new CountDownLatch(1);

  private final CountDownLatch isHeld = new CountDownLatch(1);
  private final AtomicBoolean isFirst = new AtomicBoolean(true);

  Http2RequestTest() {
    HttpConfiguration http = new HttpConfiguration();
    connector =
        new ServerConnector(
            server, 1, 1, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));
  }

  @BeforeEach
  void start() throws Exception {
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            Reader reader = new Reader(request, callback);
            reader.read();
            readers.add(reader);
            return true;
          }
        });
    new Http2Connections(
            new Http2Properties(true, 100, 1_000),
            connections,
            PatientConnections.properties(Duration.ofMinutes(1)))
        .configure(server);
    connections.watch(server);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    mayGoOn.countDown();
    server.stop();
    connections.close();
  }

  /**
   * Two readers are to be told in one go. While the first one is told the connection is closed, and
   * Jetty does not come to the second one.
   */
  @Test
  void readerThatJettyDoesNotTellLearnsOfTheEnd() throws Exception {
    try (FrameClient client = new FrameClient(server)) {
      int first = client.put();
      int second = client.put();
      eventually("both wait for their bodies", () -> readers.size() == 2);
      client.sendData(first, second);
      assertThat(isHeld.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
      readers.getFirst().endPoint().close();
      eventually(
          "Jetty has closed the connection", () -> connector.getConnectedEndPoints().isEmpty());
      mayGoOn.countDown();
      for (Reader reader : readers) {
        assertThat(reader.end.get(PATIENCE_SECONDS, TimeUnit.SECONDS)).isNotNull();
      }
    }
  }

  private final class Reader {
    private final Request request;
    private final Callback callback;
    private final CompletableFuture<Throwable> end = new CompletableFuture<>();

    private Reader(Request request, Callback callback) {
      this.request = request;
      this.callback = callback;
    }

    private EndPoint endPoint() {
      return request.getConnectionMetaData().getConnection().getEndPoint();
    }

    /** As a thread is told that waits in a servlet's read: by the connection's thread. */
    private void read() {
      Content.Chunk chunk = request.read();
      while (chunk != null && !Content.Chunk.isFailure(chunk)) {
        chunk.release();
        chunk = request.read();
      }
      if (chunk == null) {
        request.demand(Invocable.from(InvocationType.NON_BLOCKING, this::told));
      } else {
        end.complete(chunk.getFailure());
        callback.failed(chunk.getFailure());
      }
    }

    private void told() {
      if (isFirst.getAndSet(false)) {
        isHeld.countDown();
        try {
          mayGoOn.await();
        } catch (InterruptedException e) {
          throw new AssertionError(e);
        }
      }
      read();
    }
  }
}
