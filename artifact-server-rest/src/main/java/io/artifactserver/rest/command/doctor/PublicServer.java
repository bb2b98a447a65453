package io.artifactserver.rest.command.doctor;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.rest.command.client.TokenSafety;
import io.artifactserver.rest.http.RequestPath;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/** A server as its clients reach it, through all proxies. Follows no redirect. Thread-safe. */
final class PublicServer implements AutoCloseable {
  /** Nothing of it is sent but a byte now and then: limits of the length show at once. */
  private static final long UPLOAD_LENGTH = 10L << 30;

  private static final int DRIP_MILLIS = 100;
  private static final int STATUS_LINE = 12;
  private static final int HTTPS_PORT = 443;
  private static final int HTTP_PORT = 80;

  private final URI base;
  private final Optional<String> token;
  private final SSLContext tls;
  private final Duration patience;
  private final HttpClient client;

  /**
   * @param base its address, without a slash at the end
   * @param token of an admin
   * @param patience how long an answer may take
   */
  PublicServer(URI base, Optional<String> token, SSLContext tls, Duration patience) {
    this.base = base;
    this.token = token;
    this.tls = tls;
    this.patience = patience;
    this.client =
        HttpClient.newBuilder()
            .version(isSecured() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(patience)
            .sslContext(tls)
            .build();
  }

  Duration patience() {
    return patience;
  }

  boolean hasToken() {
    return token.isPresent();
  }

  /** Whether the token would be read by everybody on the way. */
  boolean sendsTokenInClear() {
    return hasToken() && !isSecured() && !TokenSafety.isThisMachine(base);
  }

  /** A request without the token. */
  HttpRequest.Builder requestOfStranger(String path) {
    return HttpRequest.newBuilder(URI.create(base + path));
  }

  /** A request with the token, if there is one. */
  HttpRequest.Builder request(String path) {
    HttpRequest.Builder request = requestOfStranger(path);
    token.ifPresent(value -> request.header("Authorization", "Bearer " + value));
    return request;
  }

  /** A request for an artifact's bytes. */
  HttpRequest.Builder request(ArtifactId artifact) {
    return request(
        "/artifacts/"
            + RequestPath.encode(artifact.repository())
            + '/'
            + RequestPath.encode(artifact.path()));
  }

  /**
   * Sends a request, and waits for the answer and its first bytes.
   *
   * @throws IOException also if they do not come in time
   */
  HttpResponse<byte[]> ask(HttpRequest.Builder request, int most)
      throws IOException, InterruptedException {
    FirstBytes body = new FirstBytes(most);
    CompletableFuture<HttpResponse<byte[]>> answer = client.sendAsync(request.build(), _ -> body);
    try {
      return answer.get(patience.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new SocketTimeoutException("no answer within " + patience.toSeconds() + " s");
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException failure ? failure : new IOException(e.getCause());
    } finally {
      var _ = answer.cancel(true);
      body.refuseRest();
    }
  }

  /**
   * Begins an upload that nobody may make, and goes on with a byte now and then: whether it is
   * refused meanwhile shows whether it reaches the server. By a socket, because {@link HttpClient}
   * reads no answer before the end of its request.
   *
   * @return the status; empty if no answer came in time
   */
  Optional<String> statusOfUnfinishedUpload() throws IOException {
    try (Socket socket = connect()) {
      socket.setSoTimeout(DRIP_MILLIS);
      OutputStream out = socket.getOutputStream();
      out.write(
          """
          PUT %s/api/v1/repositories/doctor/artifacts/doctor HTTP/1.1\r
          Host: %s\r
          Content-Type: application/octet-stream\r
          Content-Length: %d\r
          \r
          """
              .formatted(base.getRawPath(), base.getRawAuthority(), UPLOAD_LENGTH)
              .getBytes(StandardCharsets.ISO_8859_1));
      InputStream in = socket.getInputStream();
      byte[] line = new byte[STATUS_LINE];
      int length = 0;
      long end = System.nanoTime() + patience.toNanos();
      while (length < STATUS_LINE && System.nanoTime() - end < 0) {
        try {
          int read = in.read(line, length, STATUS_LINE - length);
          if (read < 0) {
            throw new SocketException("the connection was closed without an answer");
          }
          length += read;
        } catch (SocketTimeoutException e) {
          out.write('x');
          out.flush();
        }
      }
      String text = new String(line, 0, length, StandardCharsets.ISO_8859_1);
      return length < STATUS_LINE
          ? Optional.empty()
          : Optional.of(text.substring(text.length() - 3));
    }
  }

  private Socket connect() throws IOException {
    int port = base.getPort() >= 0 ? base.getPort() : isSecured() ? HTTPS_PORT : HTTP_PORT;
    String host = base.getHost().replaceAll("[\\[\\]]", "");
    Socket socket = new Socket();
    try {
      socket.connect(new InetSocketAddress(host, port), (int) patience.toMillis());
      socket.setSoTimeout((int) patience.toMillis());
      if (!isSecured()) {
        return socket;
      }
      SSLSocket secured = (SSLSocket) tls.getSocketFactory().createSocket(socket, host, port, true);
      SSLParameters parameters = secured.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      secured.setSSLParameters(parameters);
      secured.startHandshake();
      return secured;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  private boolean isSecured() {
    return "https".equals(base.getScheme());
  }

  @Override
  public void close() {
    client.shutdownNow();
  }

  @Override
  public String toString() {
    return base.toString();
  }
}
