package io.artifactserver.rest.endtoend;

import io.artifactserver.core.testserver.S3ProxyServer;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/**
 * A packaged server that has every {@link MarkedArtifact}, and the ways to reach it. Thread-safe.
 */
final class MixSite implements AutoCloseable {
  /**
   * For what never comes: a machine with eight times the work that it can do takes 30 seconds for
   * an answer. Less than the server's stall-timeout.
   */
  static final int TIMEOUT_MILLIS = 100_000;

  static final String BUCKET = "firmware";

  private static final Pattern TOKEN = Pattern.compile("\"token\":\\s*\"([^\"]+)\"");

  private final PackagedServer server;
  private final Operator operator;
  private final @Nullable S3ProxyServer s3;
  private final @Nullable SSLContext trust;
  private final String token;

  private MixSite(PackagedServer server, @Nullable S3ProxyServer s3, @Nullable SSLContext trust)
      throws Exception {
    this.server = server;
    this.s3 = s3;
    this.trust = trust;
    this.operator = trust == null ? new Operator(server) : new Operator(server, trust);
    for (MarkedArtifact artifact : MarkedArtifact.values()) {
      artifact.upload(operator);
    }
    Matcher made =
        TOKEN.matcher(operator.json("POST", "/api/v1/tokens", "{\"name\":\"mix\"}").body());
    if (!made.find()) {
      throw new IllegalStateException("No token was made");
    }
    this.token = made.group(1);
  }

  /** Where a server keeps its blobs. */
  enum Backend {
    /** With decrypted copies of what is encrypted. */
    FILE,
    /** Everything encrypted is decrypted for each answer. */
    ENCRYPTED,
    /** Without a cache, and without decrypted copies. */
    S3
  }

  /** The protocol that a client speaks. */
  enum Transport {
    H1(Optional.empty(), false),
    H2C(Optional.empty(), true),
    TLS_1_2(Optional.of("TLSv1.2"), false),
    TLS_1_3(Optional.of("TLSv1.3"), false),
    H2_TLS_1_2(Optional.of("TLSv1.2"), true),
    H2_TLS_1_3(Optional.of("TLSv1.3"), true);

    private final Optional<String> protocol;
    private final boolean isHttp2;

    Transport(Optional<String> protocol, boolean isHttp2) {
      this.protocol = protocol;
      this.isHttp2 = isHttp2;
    }

    boolean isHttp2() {
      return isHttp2;
    }

    boolean isTls() {
      return protocol.isPresent();
    }
  }

  /** Starts a server in an empty folder. */
  static MixSite start(Path folder, Backend backend, boolean isTls) throws Exception {
    List<String> arguments = new ArrayList<>(slowBesideCiphers(folder));
    S3ProxyServer s3 = null;
    if (backend != Backend.FILE) {
      arguments.add("--artifact-server.encryption.decrypted-cache-size=0");
    }
    if (backend == Backend.S3) {
      s3 = S3ProxyServer.start(folder.resolve("s3"));
      arguments.addAll(s3Arguments(s3));
    }
    Path data = folder.resolve("data");
    if (!isTls) {
      return new MixSite(PackagedServer.start(data, arguments.toArray(String[]::new)), s3, null);
    }
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    arguments.add("--artifact-server.tls.certificate=" + authority.certificateFile("server"));
    arguments.add("--artifact-server.tls.private-key=" + authority.keyFile("server"));
    return new MixSite(
        PackagedServer.startWithTls(data, arguments.toArray(String[]::new)),
        s3,
        authority.client(null));
  }

  /** Arguments of a server that keeps its blobs in a bucket. */
  static List<String> s3Arguments(S3ProxyServer s3) {
    return List.of(
        "--artifact-server.storage.backend=s3",
        "--artifact-server.storage.s3.endpoint=" + s3.endpoint(),
        "--artifact-server.storage.s3.region=us-east-1",
        "--artifact-server.storage.s3.bucket=" + BUCKET,
        "--artifact-server.storage.s3.access-key=" + S3ProxyServer.ACCESS_KEY,
        "--artifact-server.storage.s3.secret-key=" + S3ProxyServer.SECRET_KEY,
        "--artifact-server.storage.s3.path-style=true",
        "--artifact-server.storage.s3.create-bucket=true",
        "--artifact-server.storage.s3.chunk-size=1MB",
        "--artifact-server.storage.s3.part-size=5MB");
  }

  /**
   * Jetty's code and ours without C2, which widens the windows of races; the JDK's with it: C1
   * encrypts 10 MB a second, and in a quarter of a minute most kinds of clients had come but twice.
   */
  private static List<String> slowBesideCiphers(Path folder) throws IOException {
    Path directives = folder.resolve("compiler.json");
    Files.writeString(
        directives,
        """
        [{match: ["org/eclipse/jetty/*.*", "io/artifactserver/*.*"], c2: {Exclude: true}}]
        """);
    return List.of(
        PackagedServer.COMPILED_WELL,
        "-XX:+UnlockDiagnosticVMOptions",
        "-XX:CompilerDirectivesFile=" + directives);
  }

  /** The transports that it serves. */
  List<Transport> transports() {
    return Arrays.stream(Transport.values())
        .filter(transport -> transport.isTls() == (trust != null))
        .toList();
  }

  PackagedServer server() {
    return server;
  }

  Operator operator() {
    return operator;
  }

  /** Opens every artifact. */
  String token() {
    return token;
  }

  /**
   * Connects.
   *
   * @param receiveBuffer of the client's socket, in bytes; 0 for the system's
   */
  Line open(Transport transport, SplittableRandom random, int receiveBuffer) throws IOException {
    Socket raw = new Socket();
    try {
      if (receiveBuffer > 0) {
        raw.setReceiveBufferSize(receiveBuffer);
      }
      raw.setTcpNoDelay(true);
      raw.setSoTimeout(TIMEOUT_MILLIS);
      raw.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
      return trust == null ? new Line(raw, raw) : new Line(raw, secured(raw, transport, random));
    } catch (IOException | RuntimeException e) {
      raw.close();
      throw e;
    }
  }

  /** Every fourth connection forgets its session, so that the next one shakes hands in full. */
  private SSLSocket secured(Socket raw, Transport transport, SplittableRandom random)
      throws IOException {
    SSLContext context = trust;
    if (context == null) {
      throw new IllegalStateException("The server speaks no TLS");
    }
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(raw, "localhost", server.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(new String[] {transport.protocol.orElseThrow()});
    parameters.setApplicationProtocols(new String[] {transport.isHttp2() ? "h2" : "http/1.1"});
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    if (random.nextInt(4) == 0) {
      socket.getSession().invalidate();
    }
    return socket;
  }

  @Override
  public void close() throws IOException {
    operator.close();
    server.close();
    if (s3 != null) {
      s3.close();
    }
  }

  /** A connection, and what is below its TLS. */
  record Line(Socket raw, Socket socket) implements AutoCloseable {
    void send(byte[] bytes) throws IOException {
      socket.getOutputStream().write(bytes);
      socket.getOutputStream().flush();
    }

    /** Whether it says that the connection is gone: a record that is not in order is no such. */
    static boolean isCut(IOException failure) {
      return failure instanceof EOFException
          || failure instanceof SocketException
          || failure.getCause() instanceof SocketException;
    }

    /** Ends it as most clients do: without a word of TLS, or with a reset, or as it should be. */
    void end(SplittableRandom random) throws IOException {
      switch (random.nextInt(3)) {
        case 0 -> raw.close();
        case 1 -> {
          raw.setSoLinger(true, 0);
          raw.close();
        }
        default -> socket.close();
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
      raw.close();
    }
  }
}
