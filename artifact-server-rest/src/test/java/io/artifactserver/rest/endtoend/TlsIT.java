package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.program.Programs;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS on the server's port: protocols, names, client certificates, new certificates, redirects. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TlsIT {
  private static final String PUBLIC = "/artifacts/public/table.bin";
  private static final String SECRET = "/artifacts/secret/table.bin";
  private static final byte[] BYTES = Bytes.random(300_000, 81);
  private static final int RECORD_LENGTH = 16 * 1024;
  private static final int DOWNLOADS = 50;

  private Path folder;
  private TestAuthority authority;
  private TestAuthority stranger;
  private PackagedServer server;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    folder = temporary;
    authority = new TestAuthority(folder, "authority");
    stranger = new TestAuthority(folder, "stranger");
    authority.issue("server", "CN=localhost", "san=dns:localhost,ip:127.0.0.1");
    authority.issue("renewed", "CN=renewed", "san=dns:localhost,ip:127.0.0.1");
    authority.issue("other", "CN=other.example", "san=dns:other.example");
    authority.issue("granted", "CN=device-17,O=Fleet");
    authority.issue("unknown", "CN=device-18,O=Fleet");
    authority.issue("by-uri", "O=Fleet", "san=dns:device.example,uri:urn:device:19");
    stranger.issue("forged", "CN=device-17,O=Fleet");
    Path data = folder.resolve("data");
    try (PackagedServer plain = PackagedServer.start(data);
        Operator operator = new Operator(plain)) {
      operator.createRepository("public", true);
      operator.createRepository("secret", false);
      operator.put("public", "table.bin", BYTES);
      operator.put("secret", "table.bin", BYTES);
      operator.createRepository("paced", true);
      operator.put("paced", "table.bin", BYTES);
      operator.json("PUT", "/api/v1/repositories/paced/limits", "{\"bytesPerSecond\": 200000}");
      for (String subject : List.of("device-17", "uri:urn:device:19")) {
        HttpResponse<String> granted =
            operator.json(
                "POST",
                "/api/v1/tokens",
                "{\"name\":\"%s\",\"certificate\":true,\"repositories\":[\"secret\"]}"
                    .formatted(subject));
        assertThat(granted.statusCode()).as(granted.body()).isEqualTo(201);
        assertThat(granted.body()).contains(subject).doesNotContain("\"token\"");
      }
    }
    server =
        PackagedServer.startWithTls(
            data,
            "--artifact-server.tls.certificate=%s,%s"
                .formatted(authority.certificateFile("server"), authority.certificateFile("other")),
            "--artifact-server.tls.private-key=%s,%s"
                .formatted(authority.keyFile("server"), authority.keyFile("other")),
            "--artifact-server.tls.client-certificates=want",
            "--artifact-server.tls.client-ca=" + authority.authorityFile(),
            "--artifact-server.tls.check-interval=100ms");
  }

  @AfterAll
  void stop() {
    server.close();
  }

  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void rangesAreServedOverBothProtocols(HttpClient.Version version) throws Exception {
    HttpResponse<byte[]> response = get(authority.client(null), version, PUBLIC);
    assertThat(response.version()).isEqualTo(version);
    assertThat(response.statusCode()).isEqualTo(206);
    assertThat(response.body()).isEqualTo(Arrays.copyOfRange(BYTES, 1_000, 200_000));
  }

  /** The limit was set before the server's last start. */
  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void aLimitedDownloadTakesItsTime(HttpClient.Version version) throws Exception {
    long begin = System.nanoTime();
    HttpResponse<byte[]> response =
        get(authority.client(null), version, "/artifacts/paced/table.bin");
    assertThat(response.body()).isEqualTo(Arrays.copyOfRange(BYTES, 1_000, 200_000));
    // All but what the bucket may hold.
    assertThat(System.nanoTime() - begin).isGreaterThan(700_000_000);
  }

  /** A record is 16 KiB, and each alone would be a system call. */
  @ParameterizedTest
  @EnumSource(HttpClient.Version.class)
  void recordsAreWrittenTogether(HttpClient.Version version) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(uri(PUBLIC)).version(version).build();
    try (HttpClient client = HttpClient.newBuilder().sslContext(authority.client(null)).build()) {
      assertThat(client.send(request, BodyHandlers.ofByteArray()).body()).isEqualTo(BYTES);
      long before = writeCalls();
      for (int i = 0; i < DOWNLOADS; i++) {
        assertThat(client.send(request, BodyHandlers.ofByteArray()).body()).isEqualTo(BYTES);
      }
      int records = DOWNLOADS * (BYTES.length / RECORD_LENGTH);
      assertThat(writeCalls() - before).isBetween((long) DOWNLOADS, records * 3L / 4);
    }
  }

  /** What the socket does not take at once is kept, encrypted, and comes in its place. */
  @Test
  void aClientThatReadsSlowlyGetsTheSameBytes() throws Exception {
    try (SSLSocket socket = (SSLSocket) authority.client(null).getSocketFactory().createSocket()) {
      socket.setReceiveBufferSize(4_096);
      socket.connect(new InetSocketAddress("localhost", server.port()));
      socket
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
                  .formatted(PUBLIC)
                  .getBytes(StandardCharsets.US_ASCII));
      ByteArrayOutputStream answer = new ByteArrayOutputStream();
      byte[] buffer = new byte[5_000];
      for (int n = socket.getInputStream().read(buffer);
          n >= 0;
          n = socket.getInputStream().read(buffer)) {
        answer.write(buffer, 0, n);
        pause(Duration.ofMillis(1));
      }
      byte[] bytes = answer.toByteArray();
      assertThat(Arrays.copyOfRange(bytes, bytes.length - BYTES.length, bytes.length))
          .isEqualTo(BYTES);
    }
  }

  /** System calls of the server that write, to files included (proc(5)). */
  private long writeCalls() throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(server.pid()), "io")).stream()
        .filter(line -> line.startsWith("syscw: "))
        .mapToLong(line -> Long.parseLong(line.substring("syscw: ".length())))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theNameDecidesOnTheCertificate() throws Exception {
    assertThat(subject(authority.client(null), "other.example")).isEqualTo("CN=other.example");
    assertThat(subject(authority.client(null), "localhost")).isEqualTo("CN=localhost");
    assertThat(subject(authority.client(null), "nobody.example")).isEqualTo("CN=localhost");
    assertThat(subject(authority.client(null), null)).isEqualTo("CN=localhost");
  }

  @Test
  void aClientWithoutAServerNameMayAskForAnyHost() throws Exception {
    try (SSLSocket socket = connect(authority.client(null), null)) {
      assertThat(statusLine(socket, PUBLIC, "10.20.30.40")).isEqualTo("HTTP/1.1 200 OK");
    }
  }

  @Test
  void aGrantedCertificateOpensTheRepository() throws Exception {
    for (String alias : List.of("granted", "by-uri")) {
      SSLContext device = authority.client(alias);
      assertThat(get(device, HttpClient.Version.HTTP_2, SECRET).statusCode()).isEqualTo(206);
      assertThat(get(device, HttpClient.Version.HTTP_1_1, SECRET).statusCode()).isEqualTo(206);
      assertThat(get(device, HttpClient.Version.HTTP_2, "/api/v1/repositories").statusCode())
          .isEqualTo(401);
    }
  }

  @Test
  void noOtherCertificateDoes() throws Exception {
    for (SSLContext device : List.of(authority.client(null), authority.client("unknown"))) {
      assertThat(get(device, HttpClient.Version.HTTP_2, SECRET).statusCode()).isEqualTo(401);
      assertThat(get(device, HttpClient.Version.HTTP_2, PUBLIC).statusCode()).isEqualTo(206);
    }
  }

  /** The grant's id is no secret: sent as a token it opens nothing. */
  @Test
  void theGrantsNameIsNoToken() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(uri(SECRET))
            .header("Authorization", "GatewayToken certificate:device-17")
            .build();
    try (HttpClient client = HttpClient.newBuilder().sslContext(authority.client(null)).build()) {
      assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(401);
    }
  }

  @Test
  void aCertificateOfAnotherAuthorityIsRefused() throws Exception {
    Path certificate = stranger.certificateFile("forged");
    Path key = stranger.keyFile("forged");
    Programs.assumeInstalled("curl");
    Client.Result result =
        new Client(folder)
            .run(
                "curl",
                "-sS",
                "--cacert",
                authority.authorityFile().toString(),
                "--cert",
                certificate.toString(),
                "--key",
                key.toString(),
                uri(PUBLIC).toString());
    assertThat(result.exitCode()).as(result.output()).isNotZero();
  }

  @Test
  void plainHttpIsToldToComeBack() throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      URI plain = server.healthUri("/artifacts/public/table.bin?x=1");
      HttpResponse<Void> answer =
          client.send(HttpRequest.newBuilder(plain).build(), BodyHandlers.discarding());
      assertThat(answer.statusCode()).isEqualTo(301);
      assertThat(answer.headers().firstValue("Location"))
          .contains("https://127.0.0.1:%d/artifacts/public/table.bin?x=1".formatted(server.port()));
      HttpRequest put =
          HttpRequest.newBuilder(plain).PUT(HttpRequest.BodyPublishers.noBody()).build();
      assertThat(client.send(put, BodyHandlers.discarding()).statusCode()).isEqualTo(308);
      HttpRequest health = HttpRequest.newBuilder(server.healthUri("/actuator/health")).build();
      assertThat(client.send(health, BodyHandlers.discarding()).statusCode()).isEqualTo(200);
    }
  }

  @Test
  void metricsTellTheConnectorsApart() throws Exception {
    try (Operator operator = new Operator(server, authority.client(null))) {
      assertThat(operator.get("/actuator/prometheus").body())
          .contains(
              "jetty_connections_max_connections{connector_name=\"https\"}",
              "jetty_connections_max_connections{connector_name=\"redirect\"}");
    }
    assertThat(server.log()).doesNotContain("already registered");
  }

  @Test
  void newCertificatesAreServedAndBrokenOnesAreNot() throws Exception {
    Path certificate = folder.resolve("server.pem");
    Path key = folder.resolve("server.key");
    try (SSLSocket before = connect(authority.client(null), "localhost")) {
      assertThat(statusLine(before, PUBLIC, "localhost")).isEqualTo("HTTP/1.1 200 OK");
      // The certificate alone: as a renewal looks that is half done.
      authority.certificateFile("renewed", certificate);
      awaitLog("Still serving the old certificates: " + key + " is not the key");
      assertThat(subject(authority.client(null), "localhost")).isEqualTo("CN=localhost");
      authority.keyFile("renewed", key);
      awaitSubject("CN=renewed");
      Files.writeString(key, "rubbish");
      awaitLog("Still serving the old certificates: " + key + " holds no");
      assertThat(subject(authority.client(null), "localhost")).isEqualTo("CN=renewed");
      try (Operator operator = new Operator(server, authority.client(null))) {
        assertThat(operator.get("/actuator/health").body())
            .contains("\"failing\":{\"certificates\":{", "Still serving the old certificates");
      }
      // Connections from before all this are still served.
      assertThat(statusLine(before, PUBLIC, "localhost")).isEqualTo("HTTP/1.1 200 OK");
      assertThat(subject(before)).isEqualTo("CN=localhost");
    } finally {
      authority.certificateFile("server", certificate);
      authority.keyFile("server", key);
      awaitSubject("CN=localhost");
    }
  }

  @Test
  void sessionsAreResumed() throws Exception {
    Programs.assumeInstalled("openssl");
    Client client = new Client(folder);
    for (String protocol : List.of("-tls1_2", "-tls1_3")) {
      String target = "127.0.0.1:" + server.port();
      String request =
          "printf 'GET %s HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\nRange: bytes=-0\\r\\n\\r\\n' | openssl s_client -ign_eof %s -connect %s"
              .formatted(PUBLIC, protocol, target);
      client.run("sh", "-c", request + " -sess_out session");
      Client.Result resumed = client.run("sh", "-c", request + " -sess_in session");
      assertThat(resumed.output()).contains("Reused, ").contains("416 ");
    }
  }

  @Test
  void curlAndNghttpSpeakHttp2() throws Exception {
    Programs.assumeInstalled("curl");
    Client client = new Client(folder);
    String[] credentials = {
      "--cacert", authority.authorityFile().toString(),
      "--cert", authority.certificateFile("granted").toString(),
      "--key", authority.keyFile("granted").toString()
    };
    assertThat(
            client.succeeds(
                "curl",
                "-fsS",
                "--http2",
                credentials[0],
                credentials[1],
                credentials[2],
                credentials[3],
                credentials[4],
                credentials[5],
                "-o",
                "secret.bin",
                "-w",
                "%{http_version}",
                uri(SECRET).toString()))
        .isEqualTo("2");
    assertThat(Files.readAllBytes(folder.resolve("secret.bin"))).isEqualTo(BYTES);
    Programs.assumeInstalled("nghttp");
    client.succeeds("nghttp", "-v", "-n", "-m", "20", uri(PUBLIC).toString());
  }

  @Test
  void keyOfAnotherCertificateStopsTheStart(@TempDir Path empty) throws Exception {
    Path certificate = authority.certificateFile("other", empty.resolve("a.pem"));
    Path key = authority.keyFile("renewed", empty.resolve("b.key"));
    assertThatThrownBy(() ->
            PackagedServer.startWithTls(
                empty.resolve("data"),
                "--artifact-server.tls.certificate=" + certificate,
                "--artifact-server.tls.private-key=" + key))
        .hasMessageContaining(key + " is not the key of the certificate in " + certificate);
  }

  private HttpResponse<byte[]> get(SSLContext context, HttpClient.Version version, String path)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().sslContext(context).version(version).build()) {
      return client.send(
          HttpRequest.newBuilder(uri(path)).header("Range", "bytes=1000-199999").build(),
          BodyHandlers.ofByteArray());
    }
  }

  private URI uri(String path) {
    return URI.create("https://localhost:" + server.port() + path);
  }

  private SSLSocket connect(SSLContext context, @Nullable String serverName) throws IOException {
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", server.port());
    socket.setSoTimeout(30_000);
    if (serverName != null) {
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(serverName)));
      socket.setSSLParameters(parameters);
    }
    socket.startHandshake();
    return socket;
  }

  private String subject(SSLContext context, @Nullable String serverName) throws IOException {
    try (SSLSocket socket = connect(context, serverName)) {
      return subject(socket);
    }
  }

  private static String subject(SSLSocket socket) throws IOException {
    return ((X509Certificate) socket.getSession().getPeerCertificates()[0])
        .getSubjectX500Principal()
        .getName();
  }

  private static String statusLine(SSLSocket socket, String path, String host) throws IOException {
    String request = "HEAD %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(path, host);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    String statusLine = reader.readLine();
    while (!reader.readLine().isEmpty()) {
      // A field.
    }
    return statusLine;
  }

  private void awaitSubject(String expected) throws Exception {
    eventually(
        "the certificate is " + expected,
        () -> subject(authority.client(null), "localhost").equals(expected));
  }

  private void awaitLog(String expected) throws Exception {
    eventually("the log has \"" + expected + '"', () -> server.log().contains(expected));
  }
}
