package io.artifactserver.rest.endtoend;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A connection on which what is written here is sent: over HTTP/1.1 each byte as it is, over HTTP/2
 * the requests that it means. Used by one thread.
 */
final class Wire implements AutoCloseable {
  /** For what never comes; less than the minute after which the server ends what is frozen. */
  private static final int TIMEOUT_MILLIS = 50_000;

  private final Socket socket;
  private final Protocol protocol;

  Wire(int port) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /**
   * @param socket that is connected; closed with this object
   */
  Wire(Socket socket) throws IOException {
    this(socket, socket);
  }

  /**
   * @param socket that is connected
   * @param secured the same, or TLS on it; closed with this object
   */
  Wire(Socket socket, Socket secured) throws IOException {
    secured.setSoTimeout(TIMEOUT_MILLIS);
    this.socket = socket;
    this.protocol = new Http1Requests(secured);
  }

  /**
   * @param socket that HTTP/2 is spoken on
   * @param http2 closed with this object
   */
  Wire(Socket socket, Http2Wire http2) {
    this.socket = socket;
    this.protocol = new Http2Requests(http2);
  }

  /** The way that requests take, and answers come back. */
  interface Protocol extends AutoCloseable {
    void send(byte[] bytes, int offset, int length) throws IOException;

    Response receive(boolean hasBody) throws IOException;

    boolean isAnswered() throws IOException;

    InputStream body();

    boolean isClosedByServer() throws IOException;

    @Override
    void close() throws IOException;
  }

  /**
   * Sends requests, in the form of HTTP/1.1.
   *
   * @throws IllegalArgumentException if the connection speaks HTTP/2, and that has nothing like it
   */
  void send(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    sendBytes(bytes, 0, bytes.length);
  }

  /** The same; of a body, too, that a request before has announced by its Content-Length. */
  void sendBytes(byte[] bytes, int offset, int length) throws IOException {
    protocol.send(bytes, offset, length);
  }

  /** Reads one response, its body by Content-Length. Responses come in the order of requests. */
  Response receive(boolean hasBody) throws IOException {
    return protocol.receive(hasBody);
  }

  /** Whether the next response has begun to come; waits for it no longer than a moment. */
  boolean isAnswered() throws IOException {
    return protocol.isAnswered();
  }

  /** Whether the server has closed the connection, or does so before the time-out. */
  boolean isClosedByServer() throws IOException {
    return protocol.isClosedByServer();
  }

  /**
   * The bytes that follow the head of a response that was received without its body. Over HTTP/1.1
   * those are the rest of the connection, over HTTP/2 the body.
   */
  InputStream body() {
    return protocol.body();
  }

  /** The rest of the body, up to its end or to where the server has cut it off. */
  byte[] rest() throws IOException {
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    byte[] buffer = new byte[64 * 1024];
    InputStream body = body();
    try {
      for (int n = body.read(buffer); n >= 0; n = body.read(buffer)) {
        rest.write(buffer, 0, n);
      }
    } catch (SocketTimeoutException e) {
      throw e;
    } catch (IOException e) {
      // Cut off.
    }
    return rest.toByteArray();
  }

  /** Closes with a reset, as a device that loses power and its peer's retransmissions do. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    protocol.close();
  }

  /** A response; the names of its fields in lower case. */
  static final class Response {
    private final int status;
    private final Map<String, String> fields;
    private final byte[] body;

    Response(int status, Map<String, String> fields, byte[] body) {
      this.status = status;
      this.fields = fields;
      this.body = body;
    }

    int status() {
      return status;
    }

    Map<String, String> fields() {
      return fields;
    }

    byte[] body() {
      return body;
    }

    Optional<String> field(String name) {
      return Optional.ofNullable(fields.get(name.toLowerCase(Locale.ROOT)));
    }

    String text() {
      return new String(body, StandardCharsets.UTF_8);
    }
  }
}
