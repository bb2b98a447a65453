package io.artifactserver.rest.endtoend;

import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A connection whose client sees each TLS record (RFC 8446, section 5.1) that comes, and what
 * follows the last one. Used by one thread.
 */
final class RecordWire implements AutoCloseable {
  static final int ALERT = 21;
  static final int APPLICATION_DATA = 23;

  /** Of a record, in bytes. */
  static final int HEADER_LENGTH = 5;

  /** For what never comes; less than the minute after which the server ends what is frozen. */
  private static final int TIMEOUT_MILLIS = 50_000;

  private static final int MAX_PLAIN_LENGTH = 1 << 14;
  private static final String ESTABLISHED = "01";

  private final SeenSocket seen;
  private final Socket socket;
  private final byte[] buffer = new byte[MAX_PLAIN_LENGTH];

  private RecordWire(SeenSocket seen, Socket socket) {
    this.seen = seen;
    this.socket = socket;
  }

  /**
   * A record's header.
   *
   * @param length of what follows the header, in bytes
   */
  record Header(int type, int length) {}

  /**
   * A new connection, after the handshake if there is TLS.
   *
   * @param receiveBuffer of the socket, in bytes
   */
  static RecordWire open(Endpoint server, int receiveBuffer) throws IOException {
    SeenSocket seen = new SeenSocket();
    seen.setReceiveBufferSize(receiveBuffer);
    seen.setSoTimeout(TIMEOUT_MILLIS);
    seen.setTcpNoDelay(true);
    seen.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    return new RecordWire(seen, server.secured(seen));
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.US_ASCII));
  }

  void send(byte[] bytes) throws IOException {
    OutputStream out = socket.getOutputStream();
    out.write(bytes);
    out.flush();
  }

  /** Returns what one record holds, or one piece of a connection without TLS. */
  byte[] receive() throws IOException {
    int length = socket.getInputStream().read(buffer);
    if (length < 0) {
      throw new EOFException("The server has ended the connection");
    }
    return Arrays.copyOf(buffer, length);
  }

  InputStream in() throws IOException {
    return socket.getInputStream();
  }

  Socket socket() {
    return socket;
  }

  /** Those that have come so far. */
  List<Header> records() {
    return List.copyOf(seen.records);
  }

  /**
   * Reads to the end of the connection, and answers nothing. To be called when the last of the data
   * has been read.
   *
   * @return the records that came after the data
   * @throws IOException if the server resets the connection, or leaves it open
   */
  List<Header> awaitEnd() throws IOException {
    int before = seen.records.size();
    InputStream raw = seen.getInputStream();
    while (raw.read(buffer) >= 0) {
      // The headers are what counts.
    }
    return List.copyOf(seen.records.subList(before, seen.records.size()));
  }

  /** Whether the server's side of the connection is open to send more. */
  boolean isServerSending() throws IOException {
    Pattern entry =
        Pattern.compile(
            " *[0-9]+: [0-9A-F]+:%04X [0-9A-F]+:%04X ([0-9A-F]{2}) .*"
                .formatted(seen.getPort(), seen.getLocalPort()));
    for (String table : List.of("tcp", "tcp6")) {
      for (String line : Files.readAllLines(Path.of("/proc/net", table))) {
        Matcher matcher = entry.matcher(line);
        if (matcher.matches()) {
          return matcher.group(1).equals(ESTABLISHED);
        }
      }
    }
    return false;
  }

  /** Closes the socket, and says no goodbye. */
  @Override
  public void close() throws IOException {
    seen.close();
  }

  /** Notes the headers of the records that are read. */
  private static final class SeenSocket extends Socket {
    private final List<Header> records = new ArrayList<>();
    private final byte[] header = new byte[HEADER_LENGTH];
    private int headerLength;
    private int left;

    @Override
    public InputStream getInputStream() throws IOException {
      return new FilterInputStream(super.getInputStream()) {
        @Override
        public int read() throws IOException {
          byte[] one = new byte[1];
          return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
          int read = super.read(bytes, offset, length);
          if (read > 0) {
            note(bytes, offset, offset + read);
          }
          return read;
        }
      };
    }

    private void note(byte[] bytes, int begin, int end) {
      int i = begin;
      while (i < end) {
        int skipped = Math.min(left, end - i);
        left -= skipped;
        i += skipped;
        while (i < end && headerLength < HEADER_LENGTH) {
          header[headerLength++] = bytes[i++];
        }
        if (headerLength == HEADER_LENGTH) {
          left = (header[3] & 0xff) << 8 | (header[4] & 0xff);
          records.add(new Header(header[0], left));
          headerLength = 0;
        }
      }
    }
  }
}
