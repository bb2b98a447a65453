package io.artifactserver.rest.server.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Throughout.throughout;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.poison.PoisonedPool;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Over real sockets; what matters is which requests a handler sees, and which bytes come. */
class RepeatsTest {
  private static final int LENGTH = 8_000_003;
  private static final byte[] CONTENT = new byte[LENGTH];

  static {
    new Random(6).nextBytes(CONTENT);
  }

  private final Server server = new Server(null, null, new PoisonedPool());
  private final LingeringClose lingering = new LingeringClose();
  private final List<String> handled = new CopyOnWriteArrayList<>();
  private final AtomicInteger offers = new AtomicInteger();
  private final AtomicInteger open = new AtomicInteger();

  /** Bodies that the socket did not take at once. */
  private final AtomicInteger waits = new AtomicInteger();

  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private volatile boolean isGone;

  @BeforeEach
  void start() throws Exception {
    ServerConnector plain = new ServerConnector(server, 1, 2, new HttpConnectionFactory());
    plain.setHost("127.0.0.1");
    server.addConnector(plain);
    PromptConnector.install(server, new Newcomers(_ -> Optional.empty()), lingering);
    server.setHandler(
        new Handler.Abstract.NonBlocking() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            answer(request, response, callback);
            return true;
          }
        });
    server.start();
  }

  @AfterEach
  void stop() throws Exception {
    server.stop();
    lingering.close();
  }

  @Test
  void aHandlerSeesTheFirstTwoRequests() throws Exception {
    Set<String> heads = new HashSet<>();
    try (Client client = new Client(0)) {
      for (int i = 0; i < 50; i++) {
        int first = i * 7919;
        int last = first + i * i * 100;
        client.send(request("/a", first, last));
        String head = client.receive(first, last);
        String numbers =
            "Content-Range: bytes %d-%d/%d|Content-Length: %d|"
                .formatted(first, last, LENGTH, last - first + 1);
        assertThat(head).contains(numbers);
        heads.add(head.replace(numbers, "").replaceFirst("Date: [^|]{29}\\|", "Date|"));
      }
    }
    assertThat(handled).containsExactly("/a bytes=0-0", "/a bytes=7919-8019");
    assertThat(heads).hasSize(1);
    assertThat(heads.iterator().next()).startsWith("HTTP/1.1 206 ").contains("|Date|");
    awaitOpen(0);
  }

  @Test
  void aRequestThatDiffersIsHandled() throws Exception {
    try (Client client = new Client(0)) {
      for (int i = 0; i < 3; i++) {
        client.exchange(request("/a", i, 100));
      }
      handled.clear();
      client.exchange(request("/b", 3, 100));
      assertThat(handled).containsExactly("/b bytes=3-100");
      // Learnt again, after a while.
      for (int i = 0; i < 10; i++) {
        client.exchange(request("/b", 4, 100));
      }
      assertThat(handled).hasSizeBetween(2, 5);
    }
  }

  /** Learning costs more than it brings where no request is like the last. */
  @Test
  void aClientThatNeverRepeatsItselfIsLeftAlone() throws Exception {
    try (Client client = new Client(0)) {
      for (int i = 0; i < 200; i++) {
        client.exchange(request("/" + i, i, 1_000 + i));
      }
    }
    assertThat(handled).hasSize(200);
    assertThat(offers).hasValueLessThan(12);
  }

  @Test
  void whatIsGoneIsHandled() throws Exception {
    try (Client client = new Client(0)) {
      for (int i = 0; i < 4; i++) {
        client.exchange(request("/a", i, 100));
      }
      assertThat(handled).hasSize(2);
      isGone = true;
      client.exchange(request("/a", 5, 100));
      client.exchange(request("/a", 6, 100));
      assertThat(handled).hasSize(4);
    }
  }

  @Test
  void piecesAndPipelinesAreHandledInOrder() throws Exception {
    try (Client client = new Client(0)) {
      for (int i = 0; i < 4; i++) {
        client.exchange(request("/a", i, 100));
      }
      String request = request("/a", 5, 100_004);
      long received = bytesIn();
      client.send(request.substring(0, 20));
      eventually("the first piece is read", () -> bytesIn() == received + 20);
      client.send(request.substring(20));
      client.receive(5, 100_004);
      for (int round = 0; round < 20; round++) {
        client.send(request("/a", 1, 9) + request("/a", 2, 99) + request("/a", 3, 999_999));
        client.send(request("/a", 4, 8));
        client.receive(1, 9);
        client.receive(2, 99);
        client.receive(3, 999_999);
        client.receive(4, 8);
      }
    }
    awaitOpen(0);
  }

  /**
   * Bytes that the socket does not take at once are sent when it can; later answers follow them.
   */
  @Test
  void aSlowClientGetsEveryByteInOrder() throws Exception {
    try (Client client = new Client(4 * 1024)) {
      for (int i = 0; i < 3; i++) {
        client.exchange(request("/a", i, 100));
      }
      handled.clear();
      client.send(request("/a", 10, LENGTH - 1));
      awaitOpen(1);
      client.send(request("/a", 20, 29));
      client.send(request("/a", 30, LENGTH - 1));
      eventually("the socket is full", () -> waits.get() == 1);
      throughout(
          Duration.ofMillis(200),
          () -> {
            assertThat(open).hasValue(1);
            assertThat(waits).hasValue(1);
          });
      client.receive(10, LENGTH - 1);
      client.receive(20, 29);
      client.receive(30, LENGTH - 1);
      awaitOpen(0);
    }
    assertThat(failures).isEmpty();
  }

  @Test
  void aClientThatGoesAwayLeavesNothingOpen() throws Exception {
    try (Client client = new Client(4 * 1024)) {
      for (int i = 0; i < 3; i++) {
        client.exchange(request("/a", i, 100));
      }
      client.send(request("/a", 10, LENGTH - 1));
      awaitOpen(1);
      client.reset();
      awaitOpen(0);
    }
    assertThat(failures).hasSize(1);
  }

  @Test
  void aStoppingServerLetsTheConnectionEnd() throws Exception {
    try (Client client = new Client(0)) {
      for (int i = 0; i < 4; i++) {
        client.exchange(request("/a", i, 100));
      }
      handled.clear();
      var stopped = connector().shutdown();
      client.send(request("/a", 5, 100));
      assertThat(client.receive(5, 100)).contains("Connection: close");
      assertThat(handled).hasSize(1);
      stopped.join();
    }
  }

  private void answer(Request request, Response response, Callback callback) {
    String range = request.getHeaders().get(HttpHeader.RANGE);
    handled.add(request.getHttpURI().getPath() + " " + range);
    String[] numbers = range.substring("bytes=".length()).split("-");
    int first = Integer.parseInt(numbers[0]);
    int last = Integer.parseInt(numbers[1]);
    FileSender sender = FileSender.of(request);
    if (sender.repeats()) {
      offers.incrementAndGet();
      sender.repeat(asked -> isGone ? null : new Sent(asked));
    }
    response.setStatus(206);
    response
        .getHeaders()
        .put(HttpHeader.ETAG, "\"e\"")
        .put(HttpHeader.CONTENT_RANGE, "bytes %d-%d/%d".formatted(first, last, LENGTH))
        .put(HttpHeader.CONTENT_LENGTH, last - first + 1);
    response.write(true, ByteBuffer.wrap(CONTENT, first, last - first + 1), callback);
  }

  /** A client can have the last byte before the server has counted the body down. */
  private void awaitOpen(int count) {
    eventually(count + " bodies are open", () -> open.get() == count);
  }

  private static String request(String path, int first, int last) {
    return "GET %s HTTP/1.1\r\nHost: x\r\nRange: bytes=%d-%d\r\n\r\n".formatted(path, first, last);
  }

  /** Bytes that came over the only connection. */
  private long bytesIn() {
    return connector().getConnectedEndPoints().iterator().next().getConnection().getBytesIn();
  }

  private ServerConnector connector() {
    return (ServerConnector) server.getConnectors()[0];
  }

  /** One body, counted while it is open. */
  private final class Sent implements RepeatedBody {
    private final ByteBuffer bytes;

    private Sent(ByteRange range) {
      this.bytes = ByteBuffer.wrap(CONTENT, (int) range.position(), (int) range.length()).slice();
      open.incrementAndGet();
    }

    @Override
    public ByteBuffer[] buffers() {
      return new ByteBuffer[] {bytes};
    }

    @Override
    public void waits() {
      waits.incrementAndGet();
    }

    @Override
    public void succeeded() {
      assertThat(bytes.hasRemaining()).isFalse();
      open.decrementAndGet();
    }

    @Override
    public void failed(Throwable cause) {
      failures.add(cause);
      open.decrementAndGet();
    }
  }

  private final class Client implements AutoCloseable {
    private final Socket socket = new Socket();
    private final InputStream in;

    private Client(int receiveBuffer) throws IOException {
      if (receiveBuffer > 0) {
        socket.setReceiveBufferSize(receiveBuffer);
      }
      socket.setSoTimeout(120_000);
      socket.connect(
          new InetSocketAddress(InetAddress.getLoopbackAddress(), connector().getLocalPort()));
      in = new BufferedInputStream(socket.getInputStream());
    }

    private void send(String text) throws IOException {
      socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private void exchange(String request) throws IOException {
      send(request);
      String[] range = request.substring(request.indexOf("bytes=") + 6).strip().split("-");
      receive(Integer.parseInt(range[0]), Integer.parseInt(range[1]));
    }

    /** Returns the head, its lines ended by a bar, having compared the body. */
    private String receive(int first, int last) throws IOException {
      StringBuilder head = new StringBuilder();
      while (head.length() < 2 || !head.substring(head.length() - 2).equals("||")) {
        int c = in.read();
        assertThat(c).as("the connection ended after %s", head).isNotNegative();
        if (c != '\r') {
          head.append(c == '\n' ? '|' : (char) c);
        }
      }
      byte[] body = in.readNBytes(last - first + 1);
      assertThat(Arrays.equals(body, Arrays.copyOfRange(CONTENT, first, last + 1)))
          .as("the bytes of %d-%d", first, last)
          .isTrue();
      return head.substring(0, head.length() - 1);
    }

    private void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
