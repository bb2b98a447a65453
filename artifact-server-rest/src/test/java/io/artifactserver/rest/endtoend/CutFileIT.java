package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.isSoWithin;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/**
 * Somebody else shortens a file that the server has mapped and is sending: that download is cut,
 * and nothing else happens. Native code that read the mapping would end the process.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ExpectsLog("a fault occurred in an unsafe memory access operation")
@InTurn(1)
class CutFileIT {
  private static final int LENGTH = 40_000_000;
  private static final int READ_BEFORE = 100_000;
  private static final int SHORT = 50_000;

  /** By so much, at most, is an encrypted file longer. */
  private static final int MOST_OF_KEYS = 1_000_000;

  /** Requests after which a connection answers by itself. */
  private static final int WARM = 5;

  private static final int RECEIVE_BUFFER = 32 * 1024;
  private static final byte[] OTHER = Bytes.random(1000, 4);

  private PackagedServer plain;
  private PackagedServer secured;
  private SSLContext trust;
  private int uploads;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    trust = authority.client(null);
    plain =
        PackagedServer.start(
            folder.resolve("plain"),
            "--artifact-server.derive.enabled=true",
            "--artifact-server.derive.min-size=1MB");
    secured =
        PackagedServer.startWithTls(
            folder.resolve("secured"),
            "--artifact-server.tls.certificate=" + authority.certificateFile("server"),
            "--artifact-server.tls.private-key=" + authority.keyFile("server"));
    for (PackagedServer server : List.of(plain, secured)) {
      try (Operator operator = operator(server)) {
        operator.createRepository("public", true);
        operator.createEncryptedRepository("encrypted");
        operator.put("public", "other.bin", OTHER);
      }
    }
  }

  @AfterAll
  void stop() {
    plain.close();
    secured.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "encrypted"})
  void plainDownload(String repository) throws Exception {
    String path = upload(plain, repository);
    try (Wire wire = new Wire(socket(plain))) {
      requireCut(plain, wire, path);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "encrypted"})
  void downloadOverTls(String repository) throws Exception {
    String path = upload(secured, repository);
    try (Wire wire = new Wire(secured("http/1.1"))) {
      requireCut(secured, wire, path);
    }
  }

  @Test
  void downloadOverHttp2() throws Exception {
    String path = upload(secured, "public");
    try (Http2Wire wire = Http2Wire.open(secured("h2"), READ_BEFORE)) {
      wire.window(0, LENGTH);
      int stream = wire.get(path);
      assertThat(wire.await(Http2Wire.DATA).endsStream()).isFalse();
      cut(secured);
      wire.window(stream, LENGTH);
      Http2Wire.Frame frame;
      do {
        frame = wire.receive();
        assertThat(frame.endsStream()).isFalse();
      } while (frame.type() != Http2Wire.RST_STREAM);
    } catch (EOFException | SocketException _) {
      // The connection has ended with its answer.
    } catch (SSLException e) {
      requireNoBrokenRecord(e);
    }
    requireAlive(secured);
  }

  /** The rest of the last page reads as zeros, so no access fails. */
  @ParameterizedTest
  @EnumSource
  @ExpectsLog("shorter than it was|is damaged|is not intact")
  void cutWithinThePageThatIsSent(Transport transport) throws Exception {
    PackagedServer server = transport.isSecured() ? secured : plain;
    byte[] content = Bytes.random(SHORT, transport.name().hashCode());
    try (Operator operator = operator(server);
        Wire wire = wire(transport)) {
      String name = "short-" + transport;
      assertThat(operator.put("public", name, content).statusCode()).isEqualTo(201);
      String whole = "GET /artifacts/public/%s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(name);
      String range =
          whole.replace("\r\n\r\n", "\r\nRange: bytes=%d-\r\n\r\n".formatted(SHORT - 10));
      for (int i = 0; i < WARM; i++) {
        wire.send(range);
        assertThat(wire.receive(true).body())
            .isEqualTo(Arrays.copyOfRange(content, SHORT - 10, SHORT));
      }
      cut(server, SHORT, SHORT - 1);
      // A file that was whole passes for whole for 10 ms.
      pause(Duration.ofMillis(11));
      for (String request : List.of(range, whole, range)) {
        wire.send(request);
        Response answer = wire.receive(true);
        assertThat(answer.status()).as(request).isGreaterThanOrEqualTo(500);
      }
      wire.send(whole);
      Response answer = wire.receive(true);
      assertThat(answer.status()).isEqualTo(500);
      assertThat(answer.text()).contains("Artifact damaged");
    }
    requireAlive(server);
  }

  private Wire wire(Transport transport) throws Exception {
    Socket socket = transport.isSecured() ? secured(transport.tls()) : socket(plain);
    return transport.isHttp2() ? new Wire(socket, Http2Wire.openFreely(socket)) : new Wire(socket);
  }

  /** Zstandard reads what is derived. */
  @Test
  void derivation() throws Exception {
    try (Operator operator = operator(plain)) {
      long before = suspects(operator);
      AtomicInteger tries = new AtomicInteger();
      // All may be derived before this thread goes on: then it is cut too late.
      eventually(
          "it is found out",
          () -> {
            byte[] compressible = Bytes.random(LENGTH, 1_000L + tries.get());
            for (int i = 0; i < LENGTH; i++) {
              compressible[i] &= 0x0f;
            }
            String name = "derived-" + tries.getAndIncrement();
            assertThat(operator.put("public", name, compressible).statusCode()).isEqualTo(201);
            cut(plain);
            return isSoWithin(Duration.ofSeconds(20), () -> suspects(operator) > before);
          });
    }
    requireAlive(plain);
  }

  private static long suspects(Operator operator) throws Exception {
    return JsonMapper.shared()
        .readTree(operator.get("/actuator/health").body())
        .at("/components/storage/details/suspectBlobs")
        .asLong();
  }

  private void requireCut(PackagedServer server, Wire wire, String path) throws Exception {
    wire.send("GET %s HTTP/1.1\r\nHost: device\r\n\r\n".formatted(path));
    int received = wire.body().readNBytes(READ_BEFORE).length;
    assertThat(received).isEqualTo(READ_BEFORE);
    cut(server);
    try {
      received += wire.body().readAllBytes().length;
    } catch (SocketException _) {
      // A reset is how a body is cut; a time-out is not.
    } catch (SSLException e) {
      requireNoBrokenRecord(e);
    }
    assertThat(received).isLessThan(LENGTH);
    requireAlive(server);
  }

  /** No record came that the client could not read. */
  private static void requireNoBrokenRecord(SSLException e) {
    assertThat(e.getMessage()).doesNotContain("bad_record_mac");
  }

  private String upload(PackagedServer server, String repository) throws Exception {
    uploads++;
    String name = "large-" + uploads;
    try (Operator operator = operator(server)) {
      assertThat(operator.put(repository, name, Bytes.random(LENGTH, uploads)).statusCode())
          .isEqualTo(201);
    }
    return "/artifacts/" + repository + "/" + name;
  }

  /** Cuts the one whole blob of about that length. */
  private static void cut(PackagedServer server) throws IOException {
    cut(server, LENGTH, READ_BEFORE / 2);
  }

  private static void cut(PackagedServer server, long length, long left) throws IOException {
    Path blob;
    try (Stream<Path> files = Files.walk(server.dataFolder().resolve("blobs"))) {
      blob =
          files
              .filter(file -> file.toFile().length() >= length)
              .filter(file -> file.toFile().length() < length + MOST_OF_KEYS)
              .findFirst()
              .orElseThrow();
    }
    blob.toFile().setWritable(true);
    try (FileChannel channel = FileChannel.open(blob, StandardOpenOption.WRITE)) {
      channel.truncate(left);
    }
  }

  private void requireAlive(PackagedServer server) throws Exception {
    assertThat(server.process().isAlive()).isTrue();
    try (Operator operator = operator(server)) {
      assertThat(operator.downloadAsNobody("/artifacts/public/other.bin").body()).isEqualTo(OTHER);
    }
  }

  private Operator operator(PackagedServer server) {
    return server == plain ? new Operator(server) : new Operator(server, trust);
  }

  private static Socket socket(PackagedServer server) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(RECEIVE_BUFFER);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    return socket;
  }

  private SSLSocket secured(String protocol) throws IOException {
    SSLParameters parameters = new SSLParameters();
    parameters.setApplicationProtocols(new String[] {protocol});
    return secured(parameters);
  }

  private SSLSocket secured(SSLParameters parameters) throws IOException {
    Socket socket = socket(secured);
    SSLSocket tls =
        (SSLSocket)
            trust.getSocketFactory().createSocket(socket, "localhost", socket.getPort(), true);
    tls.setSSLParameters(parameters);
    return tls;
  }
}
