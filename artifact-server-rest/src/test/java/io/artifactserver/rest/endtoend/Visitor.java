package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections of all kinds to a server, each of which ends with its visit. Thread-safe.
 *
 * @param port of the server
 * @param clients of a server with TLS; null of one without
 * @param small a path, and {@code bytes} are what is there
 * @param large a path with more than a socket's buffers hold
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares it
record Visitor(int port, @Nullable Clients clients, String small, byte[] bytes, String large) {
  private static final int STREAMS = 10;

  /** The name of a server that has been asked before. */
  private static final String SAME = "server.example";

  /** Names of servers that were never asked before have no session to resume. */
  private static final AtomicInteger STRANGERS = new AtomicInteger();

  /** Opens a connection, and ends it. */
  @FunctionalInterface
  interface Visit {
    void to(Visitor visitor) throws Exception;
  }

  /**
   * Clients of TLS, by the certificates that they have and trust.
   *
   * @param trusting has no certificate
   * @param known has a certificate that the server accepts
   * @param forged has a certificate that it refuses
   * @param distrusting does not know the server's authority
   */
  record Clients(
      SSLContext trusting, SSLContext known, SSLContext forged, SSLContext distrusting) {}

  private Clients tls() {
    return Objects.requireNonNull(clients);
  }

  /** A device's connection. */
  Socket connection() throws IOException {
    return clients == null ? connect() : resumed("TLSv1.3").socket();
  }

  Secured fresh(String protocol) throws IOException {
    return secured(tls().trusting, stranger(), protocol);
  }

  Secured resumed(String protocol) throws IOException {
    return secured(tls().trusting, SAME, protocol);
  }

  Secured known() throws IOException {
    return secured(tls().known, stranger(), "TLSv1.3");
  }

  void plainRequests() throws IOException {
    try (Wire wire = new Wire(connect())) {
      for (int i = 0; i < 3; i++) {
        requireSmall(wire);
      }
    }
  }

  void plainIdle() throws IOException {
    try (Socket silent = connect();
        Wire wire = new Wire(connect())) {
      assertThat(silent.isConnected()).isTrue();
      requireSmall(wire);
    }
  }

  void plainHeadAndReset() throws IOException {
    Socket socket = connect();
    beginHead(new Wire(socket));
    reset(socket);
  }

  void plainBodyAndReset() throws IOException {
    Socket socket = connect();
    beginBody(new Wire(socket));
    reset(socket);
  }

  /**
   * @param saysGoodbye by close_notify
   */
  void download(Secured connection, boolean saysGoodbye) throws IOException {
    requireSmall(new Wire(connection.socket));
    if (saysGoodbye) {
      connection.close();
    } else {
      connection.carrier.close();
    }
  }

  void refuse() throws IOException {
    try (Secured connection = secured(tls().distrusting, SAME, "TLSv1.3")) {
      assertThatExceptionOfType(IOException.class).isThrownBy(connection.socket::startHandshake);
    }
  }

  /** With TLS 1.3, the client's handshake is over before it is refused. */
  void beRefused() throws IOException {
    try (Secured connection = secured(tls().forged, stranger(), "TLSv1.3")) {
      assertThatExceptionOfType(IOException.class)
          .isThrownBy(() -> requireSmall(new Wire(connection.socket)));
    }
  }

  void garbage(String text) throws IOException {
    try (Wire wire = new Wire(connect())) {
      wire.send(text);
      endOf(wire);
    }
  }

  void halfHello() throws IOException {
    byte[] hello = hello();
    try (Wire wire = new Wire(connect())) {
      wire.sendBytes(hello, 0, hello.length / 2);
    }
  }

  void helloAndReset() throws IOException {
    byte[] hello = hello();
    Socket socket = connect();
    Wire wire = new Wire(socket);
    wire.sendBytes(hello, 0, hello.length);
    assertThat(wire.body().read()).isNotNegative();
    reset(socket);
  }

  void headAndReset() throws IOException {
    Secured connection = resumed("TLSv1.3");
    beginHead(new Wire(connection.socket));
    reset(connection.carrier);
  }

  void bodyAndReset() throws IOException {
    Secured connection = resumed("TLSv1.3");
    beginBody(new Wire(connection.socket));
    reset(connection.carrier);
  }

  void idle() throws IOException {
    Secured connection = resumed("TLSv1.3");
    connection.socket.startHandshake();
    connection.carrier.close();
  }

  /** All but the last, whose answer begins and does not go on. */
  void resetStreams() throws IOException {
    Secured connection = resumed("TLSv1.3");
    SSLParameters parameters = connection.socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    connection.socket.setSSLParameters(parameters);
    Http2Wire wire = Http2Wire.open(connection.socket, 1000);
    for (int i = 1; i < STREAMS; i++) {
      wire.reset(wire.get(large));
    }
    int last = wire.get(large);
    Http2Wire.Frame frame;
    do {
      frame = wire.await(Http2Wire.HEADERS);
    } while (frame.stream() != last);
    connection.carrier.close();
  }

  private void requireSmall(Wire wire) throws IOException {
    wire.send("GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(small));
    assertThat(wire.receive(true).body()).isEqualTo(bytes);
  }

  private static void beginHead(Wire wire) throws IOException {
    wire.send("GET / HTTP/1.1\r\nHost: ");
  }

  private void beginBody(Wire wire) throws IOException {
    wire.send("GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(large));
    assertThat(wire.body().readNBytes(1000)).hasSize(1000);
  }

  private static void reset(Socket socket) throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  private static void endOf(Wire wire) {
    try {
      byte[] _ = wire.body().readAllBytes();
    } catch (IOException _) {
      // A reset is an end, too.
    }
  }

  private byte[] hello() throws IOException {
    SSLEngine engine = tls().trusting.createSSLEngine();
    engine.setUseClientMode(true);
    ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
    var _ = engine.wrap(ByteBuffer.allocate(0), hello);
    return Arrays.copyOf(hello.array(), hello.position());
  }

  private Socket connect() throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  private static String stranger() {
    return "server-" + STRANGERS.incrementAndGet() + ".example";
  }

  private Secured secured(SSLContext context, String name, String protocol) throws IOException {
    Socket carrier = connect();
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(carrier, name, port, true);
    socket.setEnabledProtocols(new String[] {protocol});
    return new Secured(carrier, socket);
  }

  /**
   * A connection with TLS.
   *
   * @param carrier ends it without a word, when it is closed
   */
  record Secured(Socket carrier, SSLSocket socket) implements AutoCloseable {
    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
