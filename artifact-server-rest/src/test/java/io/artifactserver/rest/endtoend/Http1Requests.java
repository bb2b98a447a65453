package io.artifactserver.rest.endtoend;

import io.artifactserver.rest.endtoend.Wire.Response;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/** HTTP/1.1: what is sent is exactly what is given. Used by one thread. */
final class Http1Requests implements Wire.Protocol {
  private static final int MOMENT_MILLIS = 10;

  private final Socket socket;
  private final InputStream in;

  /**
   * @param socket that is connected; closed with this object
   */
  Http1Requests(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
  }

  /** Whether a byte can be read from a stream on a socket; waits for it no longer than a moment. */
  static boolean isReadable(Socket socket, InputStream in) throws IOException {
    int timeout = socket.getSoTimeout();
    socket.setSoTimeout(MOMENT_MILLIS);
    in.mark(1);
    try {
      boolean isReadable = in.read() >= 0;
      in.reset();
      return isReadable;
    } catch (SocketTimeoutException e) {
      return false;
    } finally {
      socket.setSoTimeout(timeout);
    }
  }

  @Override
  public void send(byte[] bytes, int offset, int length) throws IOException {
    socket.getOutputStream().write(bytes, offset, length);
    socket.getOutputStream().flush();
  }

  @Override
  public Response receive(boolean hasBody) throws IOException {
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

  @Override
  public boolean isAnswered() throws IOException {
    return isReadable(socket, in);
  }

  @Override
  public boolean isClosedByServer() throws IOException {
    return in.read() < 0;
  }

  @Override
  public InputStream body() {
    return in;
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
}
