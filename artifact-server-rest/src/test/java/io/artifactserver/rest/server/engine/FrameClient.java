package io.artifactserver.rest.server.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A client of HTTP/2 in clear text that reads only when it is told to, and knows the bytes that it
 * is to be sent. Used by one thread.
 */
final class FrameClient implements AutoCloseable {
  /** Every byte of every answer. */
  static final byte OURS = 'o';

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int WINDOW_UPDATE = 8;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  private final Socket socket = new Socket();
  private int nextStream = 1;

  FrameClient(Server server) throws IOException {
    socket.setReceiveBufferSize(4 * 1024);
    socket.setSoTimeout(30_000);
    socket.connect(
        new InetSocketAddress(
            InetAddress.getLoopbackAddress(),
            ((ServerConnector) server.getConnectors()[0]).getLocalPort()));
    socket
        .getOutputStream()
        .write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    send(SETTINGS, 0, 0, ByteBuffer.allocate(6).putShort((short) 4).putInt(1 << 30).array());
    send(WINDOW_UPDATE, 0, 0, ByteBuffer.allocate(4).putInt(1 << 30).array());
  }

  int get() throws IOException {
    int stream = nextStream;
    nextStream += 2;
    // :method GET, :scheme http, :path /, :authority x (RFC 7541, appendix A).
    byte[] fields = {(byte) 0x82, (byte) 0x86, (byte) 0x84, 0x41, 1, 'x'};
    send(HEADERS, END_STREAM | END_HEADERS, stream, fields);
    return stream;
  }

  /** A request whose body is to come. */
  int put() throws IOException {
    int stream = nextStream;
    nextStream += 2;
    // :method PUT as a literal, then as above.
    byte[] fields = {2, 3, 'P', 'U', 'T', (byte) 0x86, (byte) 0x84, 0x41, 1, 'x'};
    send(HEADERS, END_HEADERS, stream, fields);
    return stream;
  }

  void reset(int stream) throws IOException {
    send(RST_STREAM, 0, stream, ByteBuffer.allocate(4).putInt(8).array());
  }

  /** Opens the window of a stream so many times, by so many bytes each. */
  void openWindow(int stream, int bytes, int times) throws IOException {
    byte[] frame = frame(WINDOW_UPDATE, 0, stream, ByteBuffer.allocate(4).putInt(bytes).array());
    ByteBuffer frames = ByteBuffer.allocate(times * frame.length);
    while (frames.hasRemaining()) {
      frames.put(frame);
    }
    write(frames.array());
  }

  /** DATA, with END_STREAM. */
  void sendDataAndEnd(int stream) throws IOException {
    send(DATA, END_STREAM, stream, new byte[10]);
  }

  /** DATA on each of the streams, in one packet. */
  void sendData(int... streams) throws IOException {
    ByteArrayOutputStream frames = new ByteArrayOutputStream();
    for (int stream : streams) {
      frames.writeBytes(frame(DATA, 0, stream, new byte[10]));
    }
    write(frames.toByteArray());
  }

  private void send(int type, int flags, int stream, byte[] payload) throws IOException {
    write(frame(type, flags, stream, payload));
  }

  private static byte[] frame(int type, int flags, int stream, byte[] payload) {
    return ByteBuffer.allocate(9 + payload.length)
        .putInt(payload.length << 8 | type)
        .put((byte) flags)
        .putInt(stream)
        .put(payload)
        .array();
  }

  private void write(byte[] bytes) throws IOException {
    try {
      socket.getOutputStream().write(bytes);
    } catch (SocketException _) {
      // The server has ended the connection, which is what some tests wait for.
    }
  }

  /**
   * Reads until so many streams have ended, or the connection has.
   *
   * @return how many bytes of bodies came, all of them ours
   */
  int readToEnd(int streams) throws IOException {
    int bytes = 0;
    int endings = 0;
    DataInputStream in = new DataInputStream(socket.getInputStream());
    try {
      while (endings < streams) {
        int head = in.readInt();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        byte[] payload = in.readNBytes(head >>> 8);
        int type = head & 0xff;
        if (type == DATA) {
          assertThat(foreign(payload)).as("foreign bytes on stream " + stream).isZero();
          bytes += payload.length;
        }
        if (type == RST_STREAM || ((flags & END_STREAM) != 0 && type <= HEADERS)) {
          endings++;
        }
      }
    } catch (EOFException | SocketException _) {
      // The connection has ended.
    }
    return bytes;
  }

  private static int foreign(byte[] payload) {
    int foreign = 0;
    for (byte each : payload) {
      foreign += each == OURS ? 0 : 1;
    }
    return foreign;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
