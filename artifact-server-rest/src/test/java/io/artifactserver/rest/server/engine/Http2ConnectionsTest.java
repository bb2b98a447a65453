package io.artifactserver.rest.server.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Throughout.throughout;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.server.guard.Connections;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
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
import org.junit.jupiter.api.Test;

class Http2ConnectionsTest {
  private static final int LENGTH = 1000;
  private static final int THREADS = 8;

  /** More than there are threads. */
  private static final int REQUESTS = 2 * THREADS;

  private static final int MAX_CONTROL_FRAMES = 1_000;

  private static final Duration STALL_TIMEOUT = Duration.ofMillis(200);

  private final QueuedThreadPool threads = new QueuedThreadPool(THREADS, THREADS);
  private final Server server = new Server(threads);
  private final CountDownLatch mayAnswer = new CountDownLatch(1);
  private final Connections connections = PatientConnections.create();

  @AfterEach
  void stop() throws Exception {
    server.stop();
    connections.close();
  }

  private void start() throws Exception {
    HttpConfiguration http = new HttpConfiguration();
    ServerConnector connector =
        new ServerConnector(
            server, 1, 1, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(new Patient());
    new Http2Connections(
            new Http2Properties(true, REQUESTS, MAX_CONTROL_FRAMES),
            connections,
            PatientConnections.properties(STALL_TIMEOUT))
        .configure(server);
    connections.watch(server);
    server.start();
  }

  /** If it timed out meanwhile, both Jetty and the handler would answer it. */
  @Test
  void requestsThatWaitForAThreadAreAnsweredOnce() throws Exception {
    start();
    try (FrameClient client = new FrameClient(server)) {
      for (int i = 0; i < REQUESTS; i++) {
        client.get();
      }
      eventually("no thread is left for the others", () -> threads.getQueueSize() > 0);
      // Those that wait would be timed out by then.
      throughout(
          STALL_TIMEOUT.multipliedBy(5), () -> assertThat(threads.getQueueSize()).isPositive());
      mayAnswer.countDown();
      assertThat(client.readToEnd(REQUESTS)).isEqualTo(REQUESTS * LENGTH);
    }
  }

  /** The client had not read that the stream has ended. */
  @Test
  void aClientThatOpensTheWindowsOfEndedStreamsKeepsItsConnection() throws Exception {
    start();
    try (FrameClient client = new FrameClient(server)) {
      openWindowsOfAnEndedStream(client, LENGTH);
      client.get();
      assertThat(client.readToEnd(1)).isEqualTo(LENGTH);
    }
  }

  @Test
  void aClientThatOpensTheWindowsOfEndedStreamsByAByteLosesItsConnection() throws Exception {
    start();
    try (FrameClient client = new FrameClient(server)) {
      openWindowsOfAnEndedStream(client, 1);
      eventually("the connection is closed", () -> connections.count() == 0);
    }
  }

  /** More often than a client may send control frames. */
  private void openWindowsOfAnEndedStream(FrameClient client, int bytes) throws Exception {
    mayAnswer.countDown();
    int stream = client.get();
    assertThat(client.readToEnd(1)).isEqualTo(LENGTH);
    client.openWindow(stream, bytes, 2 * MAX_CONTROL_FRAMES);
  }

  private final class Patient extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback)
        throws InterruptedException {
      Http2Connections.hold(request);
      mayAnswer.await();
      byte[] body = new byte[LENGTH];
      Arrays.fill(body, FrameClient.OURS);
      response.write(true, ByteBuffer.wrap(body), callback);
      return true;
    }
  }
}
