package io.artifactserver.rest.server.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.server.guard.Connections;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Clients of HTTP/2 that do not read and reset their streams. The handler does what every owner of
 * a pooled buffer does: when the write ends, other bytes come into the buffer. A client that sees
 * those was given another's.
 */
class FailedWritesTest {
  private static final int LENGTH = 256 * 1024;
  private static final byte OURS = FrameClient.OURS;
  private static final byte FOREIGN = 'f';
  private static final int MAX_STREAMS = 5;
  private static final int MAX_FAILED = 8 * MAX_STREAMS;

  /** Control frames a second of a client that aborts much, and of one that may not. */
  private static final int MANY = 10_000;

  private static final int FEW = 50;

  private final Server server = new Server();
  private final Connections connections = PatientConnections.create();
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();

  private void start(int maxControlFrames) throws Exception {
    HttpConfiguration http = new HttpConfiguration();
    ServerConnector connector =
        new ServerConnector(
            server, 1, 1, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));
    connector.setHost("127.0.0.1");
    connector.setAcceptedSendBufferSize(16 * 1024);
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract.NonBlocking() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            send(response, callback);
            return true;
          }
        });
    new Http2Connections(
            new Http2Properties(true, MAX_STREAMS, maxControlFrames),
            connections,
            PatientConnections.properties(Duration.ofMinutes(1)))
        .configure(server);
    connections.watch(server);
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
    connections.close();
  }

  @Test
  void aResetLeavesTheBufferUntilItsBytesHaveLeft() throws Exception {
    start(MANY);
    try (FrameClient client = new FrameClient(server)) {
      int stream = client.get();
      awaitFullSocket(1);
      client.reset(stream);
      client.get();
      assertThat(client.readToEnd(2)).isGreaterThanOrEqualTo(LENGTH).isLessThan(3 * LENGTH);
    }
    awaitAllEnded(2);
  }

  /** The server resets the stream itself, so that the client's reset finds it reset. */
  @Test
  void dataOnAFinishedRequestAndAResetDoNotFreeTheBuffer() throws Exception {
    start(MANY);
    try (FrameClient client = new FrameClient(server)) {
      int stream = client.get();
      awaitFullSocket(1);
      client.sendDataAndEnd(stream);
      client.reset(stream);
      client.get();
      assertThat(client.readToEnd(2)).isGreaterThanOrEqualTo(LENGTH);
    }
    awaitAllEnded(2);
  }

  @Test
  void aSessionThatEndsForTooManyResetsDoesNotFreeTheBuffers() throws Exception {
    start(FEW);
    try (FrameClient client = new FrameClient(server)) {
      client.get();
      int other = client.get();
      awaitFullSocket(2);
      for (int i = 0; i <= FEW; i++) {
        client.reset(other);
      }
      client.readToEnd(Integer.MAX_VALUE);
    }
    awaitAllEnded(2);
  }

  /** Or each reset would hold one buffer more. */
  @Test
  void aClientThatResetsWhatItDoesNotReadLosesItsConnection() throws Exception {
    start(MANY);
    try (FrameClient client = new FrameClient(server)) {
      client.get();
      awaitFullSocket(1);
      for (int i = 1; i <= MAX_FAILED + 1 && connections.count() == 1; i++) {
        int requests = i + 1;
        int stream = client.get();
        eventually("it is answered", () -> begun.get() == requests || connections.count() == 0);
        // Reset by the server and forgotten, it makes room for the next.
        client.sendDataAndEnd(stream);
        client.sendDataAndEnd(stream);
        client.reset(stream);
      }
      eventually("the connection is closed", () -> connections.count() == 0);
      awaitAllEnded(begun.get());
    }
  }

  @Test
  void whatFailsAfterTheEndOfTheConnectionIsToldAtOnce() throws Exception {
    start(MANY);
    try (FrameClient client = new FrameClient(server)) {
      client.reset(client.get());
      client.get();
      awaitFullSocket(1);
    }
    eventually("the connection is closed", () -> connections.count() == 0);
    awaitAllEnded(begun.get());
  }

  /** Once the first of its frames is in the socket, the client's window and the socket are full. */
  private void awaitFullSocket(int requests) {
    eventually("the answers have begun", () -> begun.get() >= requests);
    eventually(
        "the socket is full",
        () ->
            ((ServerConnector) server.getConnectors()[0])
                .getConnectedEndPoints().stream()
                    .anyMatch(endPoint ->
                        endPoint instanceof org.eclipse.jetty.io.AbstractEndPoint socket
                            && socket.getWriteFlusher().isPending()));
  }

  private void awaitAllEnded(int requests) {
    eventually("every write has ended", () -> ended.get() == requests);
  }

  private void send(Response response, Callback callback) {
    begun.incrementAndGet();
    ByteBuffer buffer = filled();
    ByteBuffer view = buffer.duplicate();
    response.write(
        true,
        view,
        Callback.from(
            () -> {
              reuse(buffer);
              callback.succeeded();
            },
            failure -> {
              reuse(buffer);
              callback.failed(failure);
            }));
  }

  private static ByteBuffer filled() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(LENGTH);
    while (buffer.hasRemaining()) {
      buffer.put(OURS);
    }
    return buffer.flip();
  }

  private void reuse(ByteBuffer buffer) {
    for (int i = 0; i < LENGTH; i++) {
      buffer.put(i, FOREIGN);
    }
    ended.incrementAndGet();
  }
}
