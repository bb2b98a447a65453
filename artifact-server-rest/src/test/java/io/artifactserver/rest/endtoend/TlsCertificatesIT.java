package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.nightly.InTurn;
import io.artifactserver.core.program.Programs;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Certificates: by name, of clients, and new ones. */
@InTurn(7)
class TlsCertificatesIT extends TlsFixture {
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
