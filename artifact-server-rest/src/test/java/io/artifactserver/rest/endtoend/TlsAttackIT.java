package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Attacks with TLS, on HTTP/1.1 and HTTP/2. */
class TlsAttackIT extends Siege {
  @SuppressWarnings("NullAway.Init") // Set by start, which comes before any test.
  private SSLContext trust;

  @Override
  PackagedServer start(Path folder, String... arguments) throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    trust = authority.client(null);
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--artifact-server.tls.certificate=" + authority.certificateFile("server"));
    all.add("--artifact-server.tls.private-key=" + authority.keyFile("server"));
    return PackagedServer.startWithTls(folder.resolve("secured"), all.toArray(String[]::new));
  }

  @Override
  Operator operator(PackagedServer server) throws Exception {
    return new Operator(server, trust);
  }

  @Override
  Wire connect(InetAddress from) throws IOException {
    return new Wire(secured(new Socket(InetAddress.getLoopbackAddress(), port(), from, 0)));
  }

  /** Clients that shake hands and go, and those that shake half a hand. */
  @Test
  void handshakes() throws Exception {
    byte[] halfHello = {22, 3, 1, 2, 0, 1, 0, 1, (byte) 252, 3, 3};
    inParallel(
        16,
        i -> {
          for (int n = 0; n < 60; n++) {
            try (SSLSocket socket = secured(socket(0))) {
              socket.startHandshake();
            }
            SocketChannel half = channel(0);
            half.write(ByteBuffer.wrap(halfHello));
          }
        });
  }

  /** Each keeps a record that it has not taken. */
  @ParameterizedTest
  @ValueSource(strings = {"/swagger-ui/swagger-ui-bundle.js", "/actuator/health", WARM, ENCRYPTED})
  void clientsThatNeverRead(String path) throws Exception {
    inParallel(
        400,
        i ->
            quietly(() ->
                secured(keep(socket(4096)))
                    .getOutputStream()
                    .write(
                        "GET %s HTTP/1.1\r\nHost: device\r\n\r\n"
                            .formatted(path)
                            .getBytes(StandardCharsets.US_ASCII))));
    Thread.sleep(2000);
  }

  @Test
  void dataFramesOfAByteBehindRequestsThatAreStalled() throws Exception {
    inParallel(4, i -> sendData(stalled(), 1, 30_000, "GET", WARM));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/swagger-ui/swagger-ui-bundle.js", WARM})
  void stalledStreams(String path) throws Exception {
    inParallel(32, i -> ask(stalled(), 128, path));
    Thread.sleep(2000);
  }

  /** Absent paths of a public repository. */
  @Test
  @Tag(MISSES)
  void missers() throws Exception {
    long end = System.nanoTime() + 5_000_000_000L;
    inParallel(
        500,
        i -> {
          Random random = new Random(i);
          try (Wire wire = connect(InetAddress.getLoopbackAddress())) {
            while (System.nanoTime() < end) {
              wire.send(
                  "GET /artifacts/public/%s HTTP/1.1\r\nHost: device\r\n\r\n"
                      .formatted(Long.toHexString(random.nextLong())));
              assertThat(wire.receive(true).status()).isIn(404, 503);
            }
          }
        });
  }

  /** HTTP/2 on which the server may send nothing; closed after the test. */
  private Http2Wire stalled() throws IOException {
    SSLSocket socket = secured(keep(socket(0)));
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setApplicationProtocols(new String[] {"h2"});
    socket.setSSLParameters(parameters);
    return Http2Wire.open(socket, 0);
  }

  /** Closed as it is, it waits for nothing that the server still has to say. */
  private Socket socket(int receiveBuffer) throws IOException {
    Socket socket = new Socket();
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
    return socket;
  }

  private SSLSocket secured(Socket socket) throws IOException {
    return (SSLSocket)
        trust.getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
  }
}
