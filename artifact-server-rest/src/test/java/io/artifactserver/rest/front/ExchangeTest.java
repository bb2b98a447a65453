package io.artifactserver.rest.front;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.rest.poison.PoisonedPool;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.io.QuietException;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpStream;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.Test;

class ExchangeTest {
  private static final int REQUESTS = 5_000;

  /** Some microseconds, in which a thread on another core answers. */
  private static final int SPINS = 1_000;

  private static final byte[] REQUEST =
      "HEAD / HTTP/1.1\r\nHost: device\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

  /**
   * The handler returns at the moment at which another thread has sent the answer: one of the two
   * ends the exchange, and the other must not end the next one.
   */
  @Test
  void anotherThreadMayAnswerWhileTheHandlerReturns() throws Exception {
    endWhileTheHandlerReturns(Exchange::endWithoutBody, HttpStatus.OK_200);
  }

  @Test
  void anotherThreadMayFailWhileTheHandlerReturns() throws Exception {
    endWhileTheHandlerReturns(
        exchange -> exchange.fail(new QuietException.Exception(new IOException("no page"))),
        HttpStatus.INTERNAL_SERVER_ERROR_500);
  }

  private static void endWhileTheHandlerReturns(Consumer<Exchange> end, int status)
      throws Exception {
    Server server = new Server(null, null, new PoisonedPool());
    ServerConnector connector = new ServerConnector(server, 1, 1);
    server.addConnector(connector);
    try (ExecutorService answers = Executors.newSingleThreadExecutor()) {
      server.setHandler(new AnsweredElsewhere(answers, end));
      server.start();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector.getLocalPort())) {
        socket.setSoTimeout(60_000);
        for (int i = 0; i < REQUESTS; i++) {
          socket.getOutputStream().write(REQUEST);
          assertThat(head(socket.getInputStream()))
              .as("answer %d", i)
              .startsWith("HTTP/1.1 " + status);
        }
      } finally {
        server.stop();
      }
    }
  }

  private static String head(InputStream in) throws Exception {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        break;
      }
      head.append((char) next);
    }
    return head.toString();
  }

  private static final class AnsweredElsewhere extends Handler.Abstract.NonBlocking {
    private final ExecutorService answers;
    private final Consumer<Exchange> end;

    private AnsweredElsewhere(ExecutorService answers, Consumer<Exchange> end) {
      this.answers = answers;
      this.end = end;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback)
        throws InterruptedException {
      CountDownLatch sent = new CountDownLatch(1);
      request.addHttpStreamWrapper(stream -> new Telling(stream, sent));
      response.setStatus(HttpStatus.OK_200);
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, 10_000);
      answers.execute(() -> end.accept(new Exchange(request, response, callback)));
      for (int i = 0; i < SPINS && sent.getCount() > 0; i++) {
        Thread.onSpinWait();
      }
      // Leaves the core to the other thread where there is one core for both.
      sent.await();
      return true;
    }
  }

  /** Says when the answer is on its way, just before Jetty learns of it. */
  private static final class Telling extends HttpStream.Wrapper {
    private final CountDownLatch sent;

    private Telling(HttpStream stream, CountDownLatch sent) {
      super(stream);
      this.sent = sent;
    }

    @Override
    public void send(
        MetaData.Request request,
        MetaData.Response response,
        boolean last,
        ByteBuffer content,
        Callback callback) {
      super.send(
          request,
          response,
          last,
          content,
          Callback.from(
              callback.getInvocationType(),
              () -> {
                sent.countDown();
                callback.succeeded();
              },
              callback::failed));
    }
  }
}
