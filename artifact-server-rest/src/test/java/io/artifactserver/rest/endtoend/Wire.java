package io.artifactserver.rest.endtoend;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A raw connection: what is sent is exactly what is written here. Used by one thread. */
final class Wire implements AutoCloseable {
  private static final int TIMEOUT_MILLIS = 30_000;

  private final Socket socket;
  private final InputStream in;

  Wire(int port) throws IOException {
    this(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /**
   * @param socket that is connected; closed with this object
   */
  Wire(Socket socket) throws IOException {
    this.socket = socket;
    this.socket.setSoTimeout(TIMEOUT_MILLIS);
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  void send(String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
    socket.getOutputStream().flush();
  }

  void sendBytes(byte[] bytes, int offset, int length) throws IOException {
    socket.getOutputStream().write(bytes, offset, length);
    socket.getOutputStream().flush();
  }

  /** Reads one response, its body by Content-Length. */
  Response receive(boolean hasBody) throws IOException {
    String statusLine = line();
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      fields.merge(
          line.substring(0, colon).toLowerCase(Locale.ROOT),
          line.substring(colon + 1).strip(),
          (a, b) -> a + ", " + b);
    }
    int status = Integer.parseInt(statusLine.split(" ", 3)[1]);
    int length = Integer.parseInt(fields.getOrDefault("content-length", "0"));
    byte[] body = new byte[0];
    if (hasBody && status != 304 && status != 204 && status >= 200) {
      body =
          fields.containsKey("transfer-encoding")
              ? chunked()
              : fields.containsKey("content-length") ? counted(length) : in.readAllBytes();
    }
    return new Response(status, fields, body);
  }

  /** Whether the server has closed the connection, or does so before the time-out. */
  boolean isClosedByServer() throws IOException {
    return in.read() < 0;
  }

  InputStream body() {
    return in;
  }

  /** Closes with a reset, as a device that loses power and its peer's retransmissions do. */
  void reset() throws IOException {
    socket.setSoLinger(true, 0);
    socket.close();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private byte[] counted(int length) throws IOException {
    byte[] body = in.readNBytes(length);
    if (body.length < length) {
      throw new EOFException("The body ended after %d of %d".formatted(body.length, length));
    }
    return body;
  }

  private byte[] chunked() throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (int length = chunkLength(); length > 0; length = chunkLength()) {
      body.writeBytes(counted(length));
      line();
    }
    line();
    return body.toByteArray();
  }

  private int chunkLength() throws IOException {
    return Integer.parseInt(line(), 16);
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("The connection was closed after \"" + line + '"');
      }
      if (c != '\r') {
        line.append((char) c);
      }
    }
    return line.toString();
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
