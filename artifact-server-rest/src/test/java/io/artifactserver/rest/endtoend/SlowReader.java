package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/**
 * A client behind a slow radio: asks for a path and takes the answer as slowly as it is told to.
 * Its receive buffer is small, so that the server's socket is where bytes wait. Used by one thread.
 */
final class SlowReader implements AutoCloseable {
  private static final int RECEIVE_BUFFER_LENGTH = 32 * 1024;
  private static final int TICK_MILLIS = 50;
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket = new Socket();
  private final byte[] buffer = new byte[256 * 1024];
  private long received;
  private boolean ended;

  SlowReader(int port, String path) throws IOException {
    socket.setReceiveBufferSize(RECEIVE_BUFFER_LENGTH);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket
        .getOutputStream()
        .write(
            "GET %s HTTP/1.1\r\nHost: device\r\n\r\n"
                .formatted(path)
                .getBytes(StandardCharsets.US_ASCII));
  }

  /** Reads for a while at a pace; bytes per second. Returns early if the connection ends. */
  void read(int rate, long millis) throws IOException, InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    while (!ended && System.nanoTime() < end) {
      readOnce(rate * TICK_MILLIS / 1000);
      Thread.sleep(TICK_MILLIS);
    }
  }

  /** Reads to the end of the connection or to the time-out, at full speed. */
  void readToEnd() throws IOException {
    while (!ended) {
      readOnce(buffer.length);
    }
  }

  /** Reads until that many bytes have come in all, at full speed. */
  void readTo(long bytes) throws IOException {
    while (!ended && received < bytes) {
      readOnce((int) Math.min(buffer.length, bytes - received));
    }
  }

  /** Whether the connection has ended, as far as was read. */
  boolean hasEnded() {
    return ended;
  }

  /** Bytes of the answer, its head included. */
  long received() {
    return received;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private void readOnce(int most) throws IOException {
    InputStream in = socket.getInputStream();
    int length;
    try {
      length = in.read(buffer, 0, Math.clamp(most, 1, buffer.length));
    } catch (java.net.SocketException e) {
      // A reset: what the server's socket still had is gone.
      length = -1;
    }
    if (length < 0) {
      ended = true;
    } else {
      received += length;
    }
  }
}
