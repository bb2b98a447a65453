package io.artifactserver.rest.server.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectorThreadsTest {
  private static final int STREAMS = 100;
  private static final String POOL = "pool";

  private final Server server = new Server(new QueuedThreadPool());
  private final ServerConnector connector;

  /** Names of the threads that were told that a stream has failed. */
  private final Queue<String> told = new ConcurrentLinkedQueue<>();

  /** Fewer than the pool has threads, and more than it keeps ready. */
  private final CountDownLatch toldAtOnce = new CountDownLatch(20);

  private final Queue<Request> waiting = new ConcurrentLinkedQueue<>();

  ConnectorThreadsTest() {
    HttpConfiguration http = new HttpConfiguration();
    HTTP2CServerConnectionFactory http2 = new HTTP2CServerConnectionFactory(http);
    http2.setMaxConcurrentStreams(STREAMS);
    connector =
        new ServerConnector(
            server,
            new ConnectorThreads(server.getThreadPool()),
            null,
            null,
            1,
            1,
            new HttpConnectionFactory(http),
            http2);
  }

  @BeforeEach
  void start() throws Exception {
    ((QueuedThreadPool) server.getThreadPool()).setName(POOL);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            Content.Chunk none = request.read();
            assertThat(none).isNull();
            request.demand(() -> {
              told.add(Thread.currentThread().getName());
              awaitOthers();
              callback.failed(new IllegalStateException("The stream has failed"));
            });
            waiting.add(request);
            return true;
          }
        });
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
  }

  /** So that one thread cannot tell them all. */
  private void awaitOthers() {
    toldAtOnce.countDown();
    try {
      toldAtOnce.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void streamsThatEndTogetherStartNoThreads() throws Exception {
    try (FrameClient client = new FrameClient(server)) {
      for (int i = 0; i < STREAMS; i++) {
        client.put();
      }
      eventually("all wait for their bodies", () -> waiting.size() == STREAMS);
    }
    eventually("all are told", () -> told.size() == STREAMS);
    assertThat(told).allMatch(thread -> thread.startsWith(POOL));
  }
}
