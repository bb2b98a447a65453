package io.artifactserver.rest.app;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * The TLS client of {@code record-start}. It is in the server's jar because a Java runtime is all
 * that is certain to be there. Its requests are those of devices: ranges, one after another on a
 * connection and on new connections, with both versions of TLS, over HTTP/1.1 and HTTP/2.
 */
public final class RecordedTraffic {
  private static final String PASSWORD = "password";
  private static final String ALIAS = "server";
  private static final List<String> PROTOCOLS = List.of("TLSv1.2", "TLSv1.3");
  private static final int FILE_LENGTH = 1 << 20;
  private static final int SHORT = 4 * 1024;
  private static final int LONG = 64 * 1024;

  /** Requests on connections that are kept, for each on a new one. */
  private static final int REQUESTS_PER_CONNECTION = 15;

  private final TrustManagerFactory trust;
  private final URI server;
  private final int requests;

  /**
   * @param keys whose certificate is trusted
   */
  private RecordedTraffic(KeyStore keys, URI server, int requests) throws GeneralSecurityException {
    this.trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    this.trust.init(keys);
    this.server = server;
    this.requests = requests;
  }

  /**
   * {@code FOLDER} writes {@code server.pem} and {@code server.key} there, made of keytool's {@code
   * server.p12}. {@code FOLDER PORT TOKEN COUNT} sends the server on this machine so many requests
   * of each kind.
   */
  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(folder.resolve("server.p12"))) {
      keys.load(in, PASSWORD.toCharArray());
    }
    if (arguments.length == 1) {
      writePem(
          folder.resolve("server.pem"), "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
      writePem(
          folder.resolve("server.key"),
          "PRIVATE KEY",
          keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
      return;
    }
    URI server = URI.create("https://127.0.0.1:" + Integer.parseInt(arguments[1]));
    RecordedTraffic traffic = new RecordedTraffic(keys, server, Integer.parseInt(arguments[3]));
    traffic.upload(arguments[2]);
    for (String protocol : PROTOCOLS) {
      traffic.oneConnection(protocol, HttpClient.Version.HTTP_2);
      traffic.oneConnection(protocol, HttpClient.Version.HTTP_1_1);
      traffic.newConnections(protocol);
    }
  }

  private static void writePem(Path file, String type, byte[] encoded) throws IOException {
    Files.writeString(
        file,
        "-----BEGIN %s-----%n%s%n-----END %1$s-----%n"
            .formatted(type, Base64.getMimeEncoder().encodeToString(encoded)));
  }

  private void upload(String token) throws Exception {
    try (HttpClient client = client(PROTOCOLS.getLast(), HttpClient.Version.HTTP_1_1)) {
      String authorization = "Bearer " + token;
      require(
          client.send(
              request("/api/v1/repositories")
                  .header("Authorization", authorization)
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"name\": \"plain\", \"public\": true, \"encrypted\": false}"))
                  .build(),
              BodyHandlers.ofByteArray()),
          201);
      require(
          client.send(
              request("/api/v1/repositories/plain/artifacts/file")
                  .header("Authorization", authorization)
                  .PUT(HttpRequest.BodyPublishers.ofByteArray(new byte[FILE_LENGTH]))
                  .build(),
              BodyHandlers.ofByteArray()),
          201);
    }
  }

  private void oneConnection(String protocol, HttpClient.Version version) throws Exception {
    try (HttpClient client = client(protocol, version)) {
      for (int i = 0; i < requests; i++) {
        int length = i < requests / 2 ? SHORT : LONG;
        int position = i % (FILE_LENGTH - LONG);
        String range = "bytes=%d-%d".formatted(position, position + length - 1);
        require(
            client.send(
                request("/artifacts/plain/file").header("Range", range).build(),
                BodyHandlers.ofByteArray()),
            206);
      }
    }
  }

  /** Every other one with a full handshake; the rest resume a session. */
  private void newConnections(String protocol) throws Exception {
    SSLContext remembering = context();
    for (int i = 0; i < requests / REQUESTS_PER_CONNECTION; i++) {
      try (SSLSocket socket = socket(i % 2 == 0 ? context() : remembering, protocol)) {
        ask(socket, socket.getInputStream(), "bytes=%d-%d".formatted(i, i + 255), 256);
      }
    }
  }

  /** Expects an answer whose head ends with an empty line and whose body has that length. */
  private static void ask(SSLSocket socket, InputStream in, String range, int length)
      throws IOException {
    socket
        .getOutputStream()
        .write(
            "GET /artifacts/plain/file HTTP/1.1\r\nHost: localhost\r\nRange: %s\r\n\r\n"
                .formatted(range)
                .getBytes(StandardCharsets.US_ASCII));
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("The server closed the connection after " + head);
      }
      head.append((char) next);
    }
    if (!head.toString().startsWith("HTTP/1.1 206 ") || in.readNBytes(length).length < length) {
      throw new IOException("The server answered " + head);
    }
  }

  private static void require(HttpResponse<byte[]> response, int status) throws IOException {
    if (response.statusCode() != status) {
      throw new IOException(response + ": " + new String(response.body(), StandardCharsets.UTF_8));
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(server.resolve(path));
  }

  private HttpClient client(String protocol, HttpClient.Version version)
      throws GeneralSecurityException {
    return HttpClient.newBuilder()
        .version(version)
        .sslContext(context())
        .sslParameters(new SSLParameters(null, new String[] {protocol}))
        .build();
  }

  private SSLSocket socket(SSLContext context, String protocol) throws IOException {
    SSLSocket socket =
        (SSLSocket) context.getSocketFactory().createSocket(server.getHost(), server.getPort());
    socket.setTcpNoDelay(true);
    socket.setEnabledProtocols(new String[] {protocol});
    return socket;
  }

  /** Remembers no session yet. */
  private SSLContext context() throws GeneralSecurityException {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }
}
