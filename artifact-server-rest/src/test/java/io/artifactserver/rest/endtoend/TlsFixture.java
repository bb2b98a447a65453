package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A server with TLS on its port, and the authorities of its certificates and its clients'. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class TlsFixture {
  static final String PUBLIC = "/artifacts/public/table.bin";
  static final String SECRET = "/artifacts/secret/table.bin";
  static final byte[] BYTES = Bytes.random(300_000, 81);

  Path folder;
  TestAuthority authority;
  TestAuthority stranger;
  PackagedServer server;

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

  HttpResponse<byte[]> get(SSLContext context, HttpClient.Version version, String path)
      throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newBuilder().sslContext(context).version(version).build()) {
      return client.send(
          HttpRequest.newBuilder(uri(path)).header("Range", "bytes=1000-199999").build(),
          BodyHandlers.ofByteArray());
    }
  }

  URI uri(String path) {
    return URI.create("https://localhost:" + server.port() + path);
  }
}
