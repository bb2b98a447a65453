package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A packaged server as clients of one transport reach it. Thread-safe, but for starting and
 * stopping the server.
 */
final class Endpoint implements RunningServer, AutoCloseable {
  private static final String HOST = "localhost";

  private final PackagedServer server;
  private final Transport transport;
  private final SSLContext trust;
  private final Path authority;

  private Endpoint(PackagedServer server, Transport transport, SSLContext trust, Path authority) {
    this.server = server;
    this.transport = transport;
    this.trust = trust;
    this.authority = authority;
  }

  /**
   * Starts a server on the folder {@code data} of a folder, and waits until it is healthy. With TLS
   * the folder gets an authority, too, and the server a certificate of it.
   */
  static Endpoint start(Transport transport, Path folder, String... arguments) throws Exception {
    Path data = folder.resolve("data");
    List<String> all = new ArrayList<>(List.of(arguments));
    if (!transport.isSecured()) {
      return new Endpoint(
          PackagedServer.start(data, all.toArray(String[]::new)),
          transport,
          SSLContext.getDefault(),
          folder);
    }
    TestAuthority authority = new TestAuthority(Files.createDirectories(folder), "authority");
    authority.issue("server", "CN=" + HOST, "san=dns:" + HOST + ",ip:127.0.0.1");
    if (!all.contains(PackagedServer.COMPILED_WELL)) {
      all.add(PackagedServer.CIPHERS_COMPILED_WELL);
    }
    all.add("--artifact-server.tls.certificate=" + authority.certificateFile("server"));
    all.add("--artifact-server.tls.private-key=" + authority.keyFile("server"));
    return new Endpoint(
        PackagedServer.startWithTls(data, all.toArray(String[]::new)),
        transport,
        authority.client(null),
        authority.authorityFile());
  }

  /** The same server for clients of another transport, which needs TLS if this one does. */
  Endpoint by(Transport other) {
    if (other.isSecured() != transport.isSecured()) {
      throw new IllegalArgumentException(
          "%s is no transport of a server of %s".formatted(other, transport));
    }
    return new Endpoint(server, other, trust, authority);
  }

  PackagedServer server() {
    return server;
  }

  Transport transport() {
    return transport;
  }

  int port() {
    return server.port();
  }

  /** PEM file of those whom clients have to trust. */
  Path authorityFile() {
    return authority;
  }

  @Override
  public URI uri(String pathAndQuery) {
    return server.uri(pathAndQuery);
  }

  @Override
  public String operatorToken() throws IOException {
    return server.operatorToken();
  }

  /** A new connection. */
  Wire open() throws IOException {
    return open(InetAddress.getLoopbackAddress());
  }

  /** A new connection from an address of this machine. */
  Wire open(InetAddress from) throws IOException {
    Socket socket = connect(0, from);
    return transport.isHttp2()
        ? new Wire(socket, Http2Wire.openFreely(secured(socket)))
        : new Wire(socket, secured(socket));
  }

  /** The frames of a new connection of HTTP/2, whose windows never close. */
  Http2Wire openHttp2() throws IOException {
    return Http2Wire.openFreely(secured(connect(0)));
  }

  /**
   * The frames of a new connection of HTTP/2.
   *
   * @param streamWindow bytes that the server may send on each stream
   */
  Http2Wire openHttp2(int streamWindow) throws IOException {
    return Http2Wire.open(secured(connect(0)), streamWindow);
  }

  /**
   * A new connection without anything on it.
   *
   * @param receiveBuffer in bytes; 0 is the system's
   */
  Socket connect(int receiveBuffer) throws IOException {
    return connect(receiveBuffer, InetAddress.getLoopbackAddress());
  }

  /** The same, from an address of this machine. */
  Socket connect(int receiveBuffer, InetAddress from) throws IOException {
    Socket socket = new Socket();
    socket.bind(new InetSocketAddress(from, 0));
    if (receiveBuffer > 0) {
      socket.setReceiveBufferSize(receiveBuffer);
    }
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
    return socket;
  }

  /**
   * The same socket without TLS; with it, one that shakes hands and closes the socket with itself.
   */
  Socket secured(Socket socket) throws IOException {
    if (!transport.isSecured()) {
      return socket;
    }
    SSLSocket secured =
        (SSLSocket) trust.getSocketFactory().createSocket(socket, HOST, socket.getPort(), true);
    SSLParameters parameters = transport.tls();
    secured.setSSLParameters(parameters);
    secured.startHandshake();
    return secured;
  }

  /** A client that speaks this transport alone; the caller closes it. */
  HttpClient httpClient() {
    return httpClient(HttpClient.newBuilder());
  }

  /** The same, of a builder that knows what is to be special. */
  HttpClient httpClient(HttpClient.Builder builder) {
    builder.version(transport.isHttp2() ? HttpClient.Version.HTTP_2 : HttpClient.Version.HTTP_1_1);
    if (transport.isSecured()) {
      SSLParameters parameters = new SSLParameters();
      parameters.setProtocols(transport.tls().getProtocols());
      builder.sslContext(trust).sslParameters(parameters);
    }
    return transport == Transport.H2C ? server.http2(builder) : builder.build();
  }

  /** The caller closes it. */
  Operator operator() throws IOException, InterruptedException {
    return new Operator(server, httpClient());
  }

  @Override
  public void close() {
    server.close();
  }
}
