package io.artifactserver.rest.endtoend;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MetaData;
import org.eclipse.jetty.http2.hpack.HpackDecoder;
import org.eclipse.jetty.http2.hpack.HpackException;

/**
 * A raw connection of HTTP/2 (RFC 9113): every frame that goes out is written here, so that it can
 * be what no client would send. Windows are opened by {@link #window} alone. Used by one thread.
 */
final class Http2Wire implements AutoCloseable {
  static final int DATA = 0;
  static final int HEADERS = 1;
  static final int RST_STREAM = 3;
  static final int SETTINGS = 4;
  static final int PING = 6;
  static final int GOAWAY = 7;
  static final int WINDOW_UPDATE = 8;
  static final int CONTINUATION = 9;

  static final int END_STREAM = 1;
  static final int ACK = 1;
  static final int END_HEADERS = 4;

  static final int SETTING_INITIAL_WINDOW_SIZE = 4;

  static final int CANCEL = 8;
  static final int REFUSED_STREAM = 7;
  static final int ENHANCE_YOUR_CALM = 11;

  /** For what never comes; less than the minute after which the server ends what is frozen. */
  private static final int TIMEOUT_MILLIS = 50_000;

  private static final int MAX_WINDOW = Integer.MAX_VALUE;
  private static final int DEFAULT_WINDOW = 65_535;

  /** Until the other side allows more, in bytes (RFC 9113, section 6.5.2). */
  private static final int MAX_FRAME = 16_384;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;
  private final HpackDecoder decoder = new HpackDecoder(1 << 20, System::nanoTime);
  private int nextStream = 1;

  private Http2Wire(Socket socket) throws IOException {
    this.socket = socket;
    this.socket.setSoTimeout(TIMEOUT_MILLIS);
    this.in = new BufferedInputStream(socket.getInputStream(), 1 << 16);
    this.out = socket.getOutputStream();
  }

  /** With prior knowledge, and windows that never close. */
  static Http2Wire open(int port) throws IOException {
    return openFreely(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  /** The same, on a connection that there is; it is closed with this object. */
  static Http2Wire openFreely(Socket socket) throws IOException {
    Http2Wire wire = open(socket, MAX_WINDOW);
    wire.window(0, MAX_WINDOW - DEFAULT_WINDOW);
    return wire;
  }

  /**
   * With prior knowledge.
   *
   * @param streamWindow bytes that the server may send on each stream
   */
  static Http2Wire open(int port, int streamWindow) throws IOException {
    return open(new Socket(InetAddress.getLoopbackAddress(), port), streamWindow);
  }

  /** The same, on a connection that there is; it is closed with this object. */
  static Http2Wire open(Socket socket, int streamWindow) throws IOException {
    Http2Wire wire = new Http2Wire(socket);
    wire.out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    wire.settings(SETTING_INITIAL_WINDOW_SIZE, streamWindow);
    return wire;
  }

  /** A frame that came. */
  static final class Frame {
    private final int type;
    private final int flags;
    private final int stream;
    private final byte[] payload;

    private Frame(int type, int flags, int stream, byte[] payload) {
      this.type = type;
      this.flags = flags;
      this.stream = stream;
      this.payload = payload;
    }

    int type() {
      return type;
    }

    /** 0 for the connection. */
    int stream() {
      return stream;
    }

    boolean isAcknowledgement() {
      return (flags & ACK) != 0;
    }

    /** The server pads nothing. */
    byte[] payload() {
      return payload;
    }

    boolean endsStream() {
      return (type == DATA || type == HEADERS) && (flags & END_STREAM) != 0;
    }

    /** Of GOAWAY: Jetty tells why. */
    String reason() {
      return new String(payload, 8, payload.length - 8, StandardCharsets.UTF_8);
    }

    /** Of RST_STREAM and GOAWAY. */
    int errorCode() {
      return ByteBuffer.wrap(payload).getInt(type == GOAWAY ? Integer.BYTES : 0);
    }
  }

  /** Sends a request without a body; returns its stream. */
  int request(String method, String path, List<String> fields) throws IOException {
    int stream = nextStream;
    nextStream += 2;
    sendHeaders(END_STREAM, stream, HeaderBlock.of(scheme(), method, path, fields));
    return stream;
  }

  /** As {@link #request}, and a body is to come. */
  int begin(String method, String path, List<String> fields) throws IOException {
    int stream = nextStream;
    nextStream += 2;
    sendHeaders(0, stream, HeaderBlock.of(scheme(), method, path, fields));
    return stream;
  }

  int get(String path, String... fields) throws IOException {
    return request("GET", path, List.of(fields));
  }

  /** In as many frames as it takes (RFC 9113, section 6.10). */
  private void sendHeaders(int flags, int stream, byte[] block) throws IOException {
    int sent = Math.min(block.length, MAX_FRAME);
    send(
        HEADERS,
        flags | (sent == block.length ? END_HEADERS : 0),
        stream,
        Arrays.copyOf(block, sent));
    while (sent < block.length) {
      int end = Math.min(block.length, sent + MAX_FRAME);
      send(
          CONTINUATION,
          end == block.length ? END_HEADERS : 0,
          stream,
          Arrays.copyOfRange(block, sent, end));
      sent = end;
    }
  }

  /** The stream that the next request would have. */
  int nextStream() {
    return nextStream;
  }

  void settings(int key, int value) throws IOException {
    send(SETTINGS, 0, 0, ByteBuffer.allocate(6).putShort((short) key).putInt(value).array());
  }

  void window(int stream, int bytes) throws IOException {
    send(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
  }

  void reset(int stream) throws IOException {
    send(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(CANCEL).array());
  }

  void send(int type, int flags, int stream, byte[] payload) throws IOException {
    ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
    frame.put((byte) (payload.length >> 16)).putShort((short) payload.length);
    frame.put((byte) type).put((byte) flags).putInt(stream).put(payload);
    out.write(frame.array());
    out.flush();
  }

  /**
   * The next frame. SETTINGS are acknowledged by the way, if the server still listens: what it said
   * before it closed the connection is read nevertheless.
   */
  Frame receive() throws IOException {
    ByteBuffer head = ByteBuffer.wrap(exactly(9));
    int length = ((head.get() & 0xff) << 16) | (head.getShort() & 0xffff);
    int type = head.get();
    if (length > MAX_FRAME || type < DATA || type > CONTINUATION) {
      throw noFrame(head);
    }
    Frame frame = new Frame(type, head.get() & 0xff, head.getInt(), exactly(length));
    if (frame.type() == SETTINGS && (frame.flags & ACK) == 0) {
      try {
        send(SETTINGS, ACK, 0, new byte[0]);
      } catch (SocketException | SSLException e) {
        // Closed by the server, whose reason may be the next frame.
      }
    }
    return frame;
  }

  /** Whether a frame has begun to come; waits for it no longer than a moment. */
  boolean hasFrame() throws IOException {
    return Http1Requests.isReadable(socket, in);
  }

  private String scheme() {
    return socket instanceof SSLSocket ? "https" : "http";
  }

  /** Skips whatever comes before a frame of the type. */
  Frame await(int type) throws IOException {
    Frame frame = receive();
    while (frame.type() != type) {
      frame = receive();
    }
    return frame;
  }

  /** Whether the server closes the connection, after whatever it has to say. */
  boolean isClosedByServer() throws IOException {
    try {
      while (true) {
        receive();
      }
    } catch (SocketTimeoutException e) {
      return false;
    } catch (EOFException | SocketException e) {
      return true;
    }
  }

  /**
   * The error code with which the server ends the connection.
   *
   * @throws IOException if it ends without a word
   */
  int awaitGoAway() throws IOException {
    return await(GOAWAY).errorCode();
  }

  /** Sends a request and reads its answer; there must be no other on the connection. */
  Wire.Response exchange(String method, String path, List<String> fields) throws IOException {
    int stream = request(method, path, fields);
    int status = 0;
    Map<String, String> answered = new HashMap<>();
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    Frame frame;
    do {
      frame = receive();
      if (frame.type() == RST_STREAM || frame.type() == GOAWAY) {
        throw new IOException("The stream was reset: " + frame.errorCode());
      }
      if (frame.type() == HEADERS && frame.stream() == stream) {
        MetaData.Response head = (MetaData.Response) decoded(frame);
        status = head.getStatus();
        for (HttpField field : head.getHttpFields()) {
          answered.merge(
              field.getName().toLowerCase(Locale.ROOT), field.getValue(), (a, b) -> a + ", " + b);
        }
      } else if (frame.type() == DATA && frame.stream() == stream) {
        body.writeBytes(frame.payload());
        if (frame.payload().length > 0) {
          window(0, frame.payload().length);
        }
      }
    } while (frame.stream() != stream || !frame.endsStream());
    return new Wire.Response(status, answered, body.toByteArray());
  }

  /** Of a HEADERS frame; each has to be decoded once, in its order. */
  MetaData decoded(Frame frame) throws IOException {
    try {
      return decoder.decode(ByteBuffer.wrap(frame.payload()));
    } catch (HpackException e) {
      throw new IOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  /** Reports the bytes that came where a frame should begin. */
  private AssertionError noFrame(ByteBuffer head) throws IOException {
    byte[] rest = new byte[Math.min(in.available(), MAX_FRAME)];
    int length = Math.max(0, in.read(rest));
    byte[] came =
        ByteBuffer.allocate(head.capacity() + length)
            .put(head.rewind())
            .put(rest, 0, length)
            .array();
    return new AssertionError(
        "A frame begins with " + MarkedArtifact.describe(came, 0, came.length));
  }

  private byte[] exactly(int length) throws IOException {
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length) {
      throw new EOFException("The server closed the connection");
    }
    return bytes;
  }
}
