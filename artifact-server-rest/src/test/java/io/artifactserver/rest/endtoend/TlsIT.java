package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static io.artifactserver.core.waiting.Pacing.pause;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.program.Programs;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** TLS on the server's port: protocols, records, sessions and redirects. */
class TlsIT extends TlsFixture {
  private static final int RECORD_LENGTH = 16 * 1024;
  private static final int DOWNLOADS = 50;

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
      int records = DOWNLOADS * (BYTES.length / RECORD_LENGTH);
      // The server writes for other reasons too: a slow machine needs another try.
      eventuallyPasses(
          "records are written together",
          () -> {
            long before = writeCalls();
            for (int i = 0; i < DOWNLOADS; i++) {
              assertThat(client.send(request, BodyHandlers.ofByteArray()).body()).isEqualTo(BYTES);
            }
            assertThat(writeCalls() - before).isBetween((long) DOWNLOADS, records * 3L / 4);
          });
    }
  }

  /** Bytes that the socket does not take at once are kept, encrypted, and come in their place. */
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
}
