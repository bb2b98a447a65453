package io.artifactserver.rest.front;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.server.engine.PatientConnections;
import io.artifactserver.rest.server.guard.Connections;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A client that does not read makes no thread wait, and what waits for it is accounted for. */
class GatheredResponseTest {
  private static final int PIECE = 64 * 1024;

  /** More than the buffers of both sockets take. */
  private static final int PIECES = 256;

  private static final int EVENT = 1_000;
  private static final int RECEIVE_BUFFER = 4 * 1024;

  private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
  private final Connections connections = PatientConnections.create(meters);
  private final Server server = new Server();
  private final CountDownLatch returned = new CountDownLatch(1);

  @AfterEach
  void stop() throws Exception {
    server.stop();
    connections.close();
  }

  @Test
  void aLongAnswerWaitsForItsClientWithoutAThread() throws Exception {
    start((response, callback) -> {
      for (int i = 0; i < PIECES; i++) {
        Content.Sink.write(response, false, piece(PIECE, i));
      }
      response.write(true, ByteBuffer.wrap(new byte[] {'.'}), callback);
    });
    try (Socket client = client()) {
      assertThat(returned.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(held()).isGreaterThanOrEqualTo(PIECES * PIECE);

      byte[] body = body(client);

      assertThat(body).hasSize(PIECES * PIECE + 1);
      for (int i = 0; i < PIECES * PIECE; i++) {
        if (body[i] != letter(i / PIECE)) {
          throw new AssertionError("another byte at " + i);
        }
      }
      eventually("nothing is held any more", () -> held() == 0);
    }
  }

  @Test
  void whatWaitsForAClientThatLeavesIsGivenBack() throws Exception {
    start((response, callback) -> {
      Content.Sink.write(response, false, piece(PIECES * PIECE, 0));
      response.write(true, ByteBuffer.wrap(new byte[] {'.'}), callback);
    });
    try (Socket client = client()) {
      assertThat(returned.await(30, TimeUnit.SECONDS)).isTrue();
      client.setSoLinger(true, 0);
    }
    eventually("nothing is held any more", () -> held() == 0);
  }

  @Test
  void whatIsResetIsGivenBack() throws Exception {
    start((response, callback) -> {
      Content.Sink.write(response, false, piece(PIECE, 0));
      response.reset();
      Content.Sink.write(response, false, piece(PIECE, 1));
      assertThat(held()).isBetween((long) PIECE, 2L * PIECE - 1);
      response.write(true, ByteBuffer.wrap(new byte[] {'.'}), callback);
    });
    try (Socket client = client()) {
      assertThat(body(client)).hasSize(PIECE + 1).contains('b').doesNotContain('a');
    }
  }

  /** 256 KiB of them wait, and what the sockets take. */
  @Test
  void eventsThatNobodyTakesEnd() throws Exception {
    AtomicInteger events = new AtomicInteger();
    start((response, callback) -> {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream;charset=UTF-8");
      try {
        while (true) {
          Content.Sink.write(response, false, piece(EVENT, events.get()));
          events.incrementAndGet();
        }
      } catch (IOException e) {
        callback.failed(e);
      }
    });
    try (Socket _ = client()) {
      assertThat(returned.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(events.get() * EVENT).isGreaterThan(250 * 1024);
      eventually("nothing is held any more", () -> held() == 0);
    }
  }

  @Test
  void eventsComeInOrderAndAtOnce() throws Exception {
    CountDownLatch taken = new CountDownLatch(1);
    start((response, callback) -> {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, "text/event-stream");
      Content.Sink.write(response, false, piece(EVENT, 0));
      taken.await();
      for (int i = 1; i < 200; i++) {
        Content.Sink.write(response, false, piece(EVENT, i));
      }
      response.write(true, null, callback);
    });
    try (Socket client = client()) {
      String first =
          new String(client.getInputStream().readNBytes(EVENT), StandardCharsets.US_ASCII);
      assertThat(first).contains("aaa");
      taken.countDown();
      String rest = new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
      String withoutChunks = (first + rest).replaceAll("\r\n[0-9A-F]+\r\n", "");
      StringBuilder events = new StringBuilder();
      for (int i = 0; i < 200; i++) {
        events.append(Character.toString(letter(i)).repeat(EVENT));
      }
      assertThat(withoutChunks).contains(events);
      eventually("nothing is held any more", () -> held() == 0);
    }
  }

  /** The limit for all clients is 64 MB here. */
  @Test
  void whatIsTooLargeToBeHeldEnds() throws Exception {
    AtomicInteger pieces = new AtomicInteger();
    start((response, callback) -> {
      try {
        while (true) {
          Content.Sink.write(response, false, piece(16 * PIECE, 0));
          pieces.incrementAndGet();
        }
      } catch (IOException e) {
        callback.failed(e);
      }
    });
    try (Socket client = client()) {
      assertThat(returned.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(pieces.get()).isBetween(1, 64);
      assertThat(client.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(held()).isZero();
  }

  private interface Answer {
    void write(Response response, Callback callback) throws Exception;
  }

  private void start(Answer answer) throws Exception {
    ServerConnector connector = new ServerConnector(server, 1, 1);
    connector.setHost("127.0.0.1");
    server.addConnector(connector);
    server.setHandler(
        new Handler.Abstract() {
          @Override
          public boolean handle(Request request, Response response, Callback callback)
              throws Exception {
            answer.write(
                new GatheredResponse(
                    request,
                    response,
                    connections.holding(
                        request.getConnectionMetaData().getConnection().getEndPoint())),
                callback);
            returned.countDown();
            return true;
          }
        });
    server.start();
  }

  /** Has sent a request, and reads nothing yet. */
  private Socket client() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(RECEIVE_BUFFER);
    socket.setSoTimeout(60_000);
    socket.connect(
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(),
            ((ServerConnector) server.getConnectors()[0]).getLocalPort()));
    socket
        .getOutputStream()
        .write(
            "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  /** Behind the head; its length is in it. */
  private static byte[] body(Socket client) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    client.getInputStream().transferTo(all);
    byte[] answer = all.toByteArray();
    int head = new String(answer, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n");
    return Arrays.copyOfRange(answer, head + 4, answer.length);
  }

  private static ByteBuffer piece(int length, int number) {
    byte[] piece = new byte[length];
    Arrays.fill(piece, letter(number));
    return ByteBuffer.wrap(piece);
  }

  private static byte letter(int number) {
    return (byte) ('a' + number % 26);
  }

  private long held() {
    return (long) meters.get("artifact_server.connections.held").gauge().value();
  }
}
