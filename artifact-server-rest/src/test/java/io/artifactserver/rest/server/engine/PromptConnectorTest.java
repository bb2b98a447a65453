package io.artifactserver.rest.server.engine;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.rest.poison.PoisonedPool;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpVersion;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PromptConnectorTest {
  private static final int LENGTH = 5_000_003;
  private static final byte[] CONTENT = new byte[LENGTH];

  static {
    new Random(5).nextBytes(CONTENT);
  }

  private final Server server = new Server(null, null, new PoisonedPool());
  private final Region region = new Region();
  private final LingeringClose lingering = new LingeringClose();
  private boolean announcesCopies;
  private final AtomicInteger sent = new AtomicInteger();

  @BeforeEach
  void start() throws Exception {
    ServerConnector plain = new ServerConnector(server, 1, 2, new HttpConnectionFactory());
    plain.setHost("127.0.0.1");
    plain.setIdleTimeout(12_345);
    server.addConnector(plain);
    PromptConnector.install(server, new Newcomers(_ -> Optional.empty()), lingering);
    server.setHandler(
        new Handler.Abstract.NonBlocking() {
          @Override
          public boolean handle(Request request, Response response, Callback callback) {
            send(request, response, callback);
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
  void takesOverWhatWasConfigured() {
    assertThat(server.getConnectors()).hasSize(1);
    assertThat(connector()).isInstanceOf(PromptConnector.class);
    assertThat(connector().getHost()).isEqualTo("127.0.0.1");
    assertThat(connector().getIdleTimeout()).isEqualTo(12_345);
    assertThat(connector().getSelectorManager().getSelectorCount()).isEqualTo(2);
    assertThat(connector().getAcceptors()).isEqualTo(1);
  }

  @Test
  void theRegionIsSentInPlaceOfTheBuffer() throws Exception {
    try (Socket socket = connect(0)) {
      assertThat(body(socket)).isEqualTo(CONTENT);
    }
    awaitTaken();
  }

  /** Most calls take a part, and some take nothing. */
  @Test
  void aSlowClientGetsEveryByteOnce() throws Exception {
    try (Socket socket = connect(4 * 1024)) {
      awaitFullSocket();
      assertThat(body(socket)).isEqualTo(CONTENT);
    }
    awaitTaken();
  }

  /** The bytes stay right even if Jetty treats its buffers differently one day. */
  @Test
  void aBufferThatWasNotAnnouncedIsSentAsItIs() throws Exception {
    announcesCopies = true;
    try (Socket socket = connect(0)) {
      assertThat(body(socket)).isEqualTo(CONTENT);
    }
    assertThat(region.counts).isEmpty();
  }

  /** Those who come while the server stops are answered, and come again for the next answer. */
  @Test
  void whileItStopsEachAnswerEndsItsConnection() throws Exception {
    byte[] request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), connector().getLocalPort())) {
      socket.setSoTimeout(120_000);
      InputStream in = socket.getInputStream();
      socket.getOutputStream().write(request);
      assertThat(head(in)).doesNotContain("Connection:");
      in.skipNBytes(LENGTH);
      // An answer that ends when the stop begins ends its connection, too.
      eventually("the answer has ended", () -> sent.get() == 1);
      assertThat(connector().shutdown()).isCompleted();
      socket.getOutputStream().write(request);
      assertThat(head(in)).contains("\r\nConnection: close\r\n");
    }
    try (Socket late = connect(0)) {
      assertThat(body(late)).isEqualTo(CONTENT);
    }
    int port = connector().getLocalPort();
    server.stop();
    assertThatThrownBy(() -> new Socket(InetAddress.getLoopbackAddress(), port).close())
        .isInstanceOf(ConnectException.class);
  }

  /** Or the others could not stop as they should. */
  @Test
  void theServersThreadsSurviveAConnector() throws Exception {
    connector().stop();
    assertThat(server.getThreadPool()).isInstanceOf(QueuedThreadPool.class);
    assertThat(((QueuedThreadPool) server.getThreadPool()).isRunning()).isTrue();
  }

  @Test
  void tlsIsLeftAlone() {
    Server other = new Server(null, null, new PoisonedPool());
    ServerConnector tls =
        new ServerConnector(
            other,
            new SslConnectionFactory(HttpVersion.HTTP_1_1.asString()),
            new HttpConnectionFactory());
    other.addConnector(tls);
    PromptConnector.install(other, new Newcomers(_ -> Optional.empty()), lingering);
    assertThat(other.getConnectors()).containsExactly(tls);
  }

  /** Returns once the kernel has taken nothing. */
  private void awaitFullSocket() {
    eventually("the socket is full", () -> region.counts.contains(0L));
  }

  /** The client can have the last byte before it is counted. */
  private void awaitTaken() {
    eventuallyPasses("all is taken", () -> assertThat(region.taken()).isEqualTo(LENGTH));
  }

  private void send(Request request, Response response, Callback callback) {
    FileSender sender = FileSender.of(request);
    ByteBuffer view = region.slice(0, LENGTH);
    sender.next(region, 0, announcesCopies ? view.duplicate() : view);
    response.getHeaders().put(HttpHeader.CONTENT_LENGTH, LENGTH);
    response.write(
        true,
        view,
        Callback.from(
            () -> {
              sender.forget();
              sent.incrementAndGet();
              callback.succeeded();
            },
            callback::failed));
  }

  private ServerConnector connector() {
    return (ServerConnector) server.getConnectors()[0];
  }

  private Socket connect(int receiveBuffer) throws IOException {
    Socket socket = new Socket();
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.setSoTimeout(120_000);
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), connector().getLocalPort()));
    socket
        .getOutputStream()
        .write(
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      assertThat(next).as(head.toString()).isNotNegative();
      head.append((char) next);
    }
    return head.toString();
  }

  private static byte[] body(Socket socket) throws IOException {
    InputStream in = socket.getInputStream();
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    in.transferTo(received);
    byte[] bytes = received.toByteArray();
    int body = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
    return Arrays.copyOfRange(bytes, body, bytes.length);
  }

  /** Counts what is sent from it. */
  private static final class Region implements FileRegion {
    private final List<Long> counts = new CopyOnWriteArrayList<>();

    long taken() {
      return counts.stream().mapToLong(Long::longValue).sum();
    }

    @Override
    public long length() {
      return LENGTH;
    }

    @Override
    public ByteBuffer slice(long offset, int length) {
      return ByteBuffer.wrap(CONTENT, Math.toIntExact(offset), length).slice();
    }

    @Override
    public boolean isResident(long offset, int length) {
      return true;
    }

    @Override
    public void load(long offset, int length) {}

    @Override
    public long transferTo(long offset, int length, WritableByteChannel target) throws IOException {
      long count = FileRegion.super.transferTo(offset, length, target);
      counts.add(count);
      return count;
    }

    @Override
    public void close() {}
  }
}
