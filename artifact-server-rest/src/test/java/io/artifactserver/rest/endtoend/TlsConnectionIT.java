package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The cost of a TLS connection to the server is bounded, and its first answer comes whole. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@InTurn(1)
class TlsConnectionIT {
  private static final String TABLE = "/artifacts/public/table.bin";
  private static final byte[] BYTES = Bytes.random(300_000, 91);

  /** More than both sockets hold. */
  private static final int LARGE_LENGTH = 64 * 1024 * 1024;

  /** Content types and a message's type (RFC 8446, sections 5.1 and 4). */
  private static final int ALERT = 21;

  private static final int HANDSHAKE = 22;
  private static final int APPLICATION_DATA = 23;
  private static final int CLIENT_HELLO = 1;

  private static final int RECORD_LENGTH = 16 * 1024;

  /** Longer than any that the JDK takes. */
  private static final int MAX_MESSAGE_LENGTH = 32 * 1024;

  private SSLContext trust;
  private PackagedServer server;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    trust = authority.client(null);
    server =
        PackagedServer.startWithTls(
            folder.resolve("data"),
            "--artifact-server.tls.certificate=" + authority.certificateFile("server"),
            "--artifact-server.tls.private-key=" + authority.keyFile("server"),
            "--artifact-server.connections.request-timeout=5s");
    try (Operator operator = new Operator(server, trust)) {
      operator.createRepository("public", true);
      assertThat(operator.put("public", "table.bin", BYTES).statusCode()).isEqualTo(201);
    }
  }

  @AfterAll
  void stop() {
    server.close();
  }

  /**
   * The session tickets of TLS 1.3 leave beside the first answer. With head and body of nearly a
   * record, they and it do not fit into one.
   */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void aFirstAnswerOfNearlyARecordComesWhole(String protocol) throws Exception {
    int headLength = headLength(protocol, RECORD_LENGTH - 300);
    for (int length = 16_270; length <= RECORD_LENGTH + 1; length++) {
      int bodyLength = length - headLength;
      try (Wire wire = new Wire(connect(protocol))) {
        for (int i = 0; i < 2; i++) {
          wire.send(range(TABLE, 1_000, bodyLength));
          Response response = wire.receive(true);
          assertThat(response.status()).isEqualTo(206);
          assertThat(response.body())
              .isEqualTo(Arrays.copyOfRange(BYTES, 1_000, 1_000 + bodyLength));
        }
      }
    }
  }

  private int headLength(String protocol, int bodyLength) throws IOException {
    try (SSLSocket socket = connect(protocol)) {
      send(socket, range(TABLE, 1_000, bodyLength));
      InputStream in = socket.getInputStream();
      StringBuilder head = new StringBuilder();
      while (head.indexOf("\r\n\r\n") < 0) {
        head.append((char) in.read());
      }
      return head.length();
    }
  }

  /**
   * A client that delays its small packets (Nagle) sends its first request when its Finished is
   * confirmed. The tickets confirm it; without them the kernel does, 40 ms later.
   */
  @Test
  void theTicketsDoNotWaitForARequest() throws Exception {
    try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      plain.setSoTimeout(30_000);
      SSLSocket socket =
          (SSLSocket)
              trust.getSocketFactory().createSocket(plain, "localhost", server.port(), true);
      socket.setEnabledProtocols(new String[] {"TLSv1.3"});
      socket.startHandshake();
      assertThat(plain.getInputStream().read()).isEqualTo(APPLICATION_DATA);
    }
  }

  /** Each would be a signature of the server's. */
  @Test
  void aClientCannotRenegotiate() throws Exception {
    try (SSLSocket socket = connect("TLSv1.2")) {
      Wire wire = new Wire(socket);
      wire.send(range(TABLE, 0, 100));
      assertThat(wire.receive(true).status()).isEqualTo(206);
      byte[] session = socket.getSession().getId();
      assertThatThrownBy(
              () -> {
                socket.startHandshake();
                wire.send(range(TABLE, 0, 100));
                wire.receive(true);
              })
          .isInstanceOf(IOException.class)
          .isNotInstanceOf(SocketTimeoutException.class);
      assertThat(socket.getSession().getId()).isIn(session, new byte[0]);
    }
    assertServed();
  }

  /** One that is too long is refused by the length that it says it has. */
  @ParameterizedTest
  @ValueSource(ints = {MAX_MESSAGE_LENGTH + 1, (1 << 24) - 1})
  void aHandshakeMessageThatIsTooLongIsRefusedAtOnce(int length) throws Exception {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(30_000);
      socket.getOutputStream().write(record(hello(length, 100)));
      InputStream in = socket.getInputStream();
      assertThat(in.read()).isEqualTo(ALERT);
      in.readAllBytes();
    }
    assertServed();
  }

  /** In records of a byte each it looks busy, and is over after {@code request-timeout}. */
  @Test
  void aHandshakeThatDribblesOnIsEnded() throws Exception {
    byte[] hello = hello(MAX_MESSAGE_LENGTH - 1, MAX_MESSAGE_LENGTH - 1);
    int sent = 0;
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      socket.setSoTimeout(20);
      boolean isOpen = true;
      while (isOpen && sent < hello.length) {
        try {
          socket.getOutputStream().write(record(new byte[] {hello[sent]}));
          sent++;
          isOpen = socket.getInputStream().read() >= 0;
        } catch (SocketTimeoutException e) {
          // It waits for more.
        } catch (IOException e) {
          isOpen = false;
        }
      }
    }
    assertThat(sent).isLessThan(hello.length);
    assertServed();
  }

  /** Others write in the folder of a hawkBit. */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  @ExpectsLog("a fault occurred in an unsafe memory access operation")
  void aFileCutShortIsADownloadCutShort(String protocol) throws Exception {
    try (Operator operator = new Operator(server, trust)) {
      byte[] bytes = Bytes.random(LARGE_LENGTH, protocol.hashCode());
      // Other bytes each time, because this blob stays damaged; so another path, too.
      String name = "large-" + protocol + ".bin";
      assertThat(operator.put("public", name, bytes).statusCode()).isEqualTo(201);
      Path blob = blobOf(LARGE_LENGTH);
      try (SSLSocket socket = connect(protocol, 4_096)) {
        send(
            socket, "GET /artifacts/public/%s HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(name));
        InputStream in = socket.getInputStream();
        assertThat(in.readNBytes(100_000)).hasSize(100_000);
        try (FileChannel channel = FileChannel.open(blob, StandardOpenOption.WRITE)) {
          channel.truncate(200_000);
        }
        assertThatThrownBy(
                () -> {
                  if (in.readAllBytes().length < LARGE_LENGTH - 100_000) {
                    throw new IOException("It ended early");
                  }
                })
            .isInstanceOf(IOException.class);
      }
      assertThat(server.process().isAlive()).isTrue();
      assertServed();
      assertThat(operator.delete("/api/v1/repositories/public/artifacts/" + name).statusCode())
          .isEqualTo(204);
    }
  }

  private Path blobOf(int length) throws IOException {
    // Of the blobs alone: files of the database come and go.
    try (Stream<Path> files = Files.walk(server.dataFolder().resolve("blobs"))) {
      return files
          .filter(file -> Files.isRegularFile(file) && file.toFile().length() == length)
          .findFirst()
          .orElseThrow();
    }
  }

  private void assertServed() throws IOException {
    try (Wire wire = new Wire(connect("TLSv1.3"))) {
      wire.send(range(TABLE, 5, 10));
      assertThat(wire.receive(true).body()).isEqualTo(Arrays.copyOfRange(BYTES, 5, 15));
    }
  }

  private static String range(String path, int position, int length) {
    return "GET %s HTTP/1.1\r\nHost: localhost\r\nRange: bytes=%d-%d\r\n\r\n"
        .formatted(path, position, position + length - 1);
  }

  private static void send(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
  }

  private SSLSocket connect(String protocol) throws IOException {
    return connect(protocol, 0);
  }

  private SSLSocket connect(String protocol, int receiveBuffer) throws IOException {
    SSLSocket socket = (SSLSocket) trust.getSocketFactory().createSocket();
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.setSoTimeout(30_000);
    socket.setEnabledProtocols(new String[] {protocol});
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    socket.startHandshake();
    return socket;
  }

  /** The beginning of a ClientHello, zeros but for its version. */
  private static byte[] hello(int claimedLength, int sentLength) {
    return ByteBuffer.allocate(4 + sentLength)
        .putInt(CLIENT_HELLO << 24 | claimedLength)
        .putShort((short) 0x0303)
        .array();
  }

  private static byte[] record(byte[] content) {
    return ByteBuffer.allocate(5 + content.length)
        .put((byte) HANDSHAKE)
        .putShort((short) 0x0301)
        .putShort((short) content.length)
        .put(content)
        .array();
  }
}
