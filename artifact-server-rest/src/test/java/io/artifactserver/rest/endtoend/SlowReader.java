package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Pacing.pause;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import javax.net.ssl.SSLException;

/**
 * A client behind a slow radio: asks for a path and takes the answer as slowly as it is told to.
 * Its receive buffer is small, so that the server's socket is where bytes wait. Used by one thread.
 */
final class SlowReader implements AutoCloseable {
  private static final int RECEIVE_BUFFER_LENGTH = 32 * 1024;
  private static final Duration TICK = Duration.ofMillis(50);
  private static final int TIMEOUT_MILLIS = 60_000;

  private final Socket socket;
  private final boolean isHttp2;
  private final byte[] buffer = new byte[256 * 1024];
  private final ByteBuffer frameHead = ByteBuffer.allocate(9);
  private int frameRest;
  private boolean isLastFrame;
  private long received;
  private boolean ended;

  SlowReader(Endpoint endpoint, String path) throws IOException {
    this(endpoint, path, InetAddress.getLoopbackAddress());
  }

  /**
   * @param from address of this machine
   */
  SlowReader(Endpoint endpoint, String path, InetAddress from) throws IOException {
    socket = endpoint.secured(endpoint.connect(RECEIVE_BUFFER_LENGTH, from));
    isHttp2 = endpoint.transport().isHttp2();
    if (isHttp2) {
      // Its windows never close: what slows the server down is the socket.
      Http2Wire.openFreely(socket).get(path);
    } else {
      socket
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\nHost: device\r\n\r\n"
                  .formatted(path)
                  .getBytes(StandardCharsets.US_ASCII));
    }
    socket.setSoTimeout(TIMEOUT_MILLIS);
  }

  /** Reads for a while at a pace; bytes per second. Returns early if the connection ends. */
  void read(int rate, long millis) throws IOException, InterruptedException {
    long end = System.nanoTime() + millis * 1_000_000;
    while (!ended && System.nanoTime() < end) {
      readOnce((int) (rate * TICK.toMillis() / 1000));
      pause(TICK);
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

  /** Whether the connection or the answer has ended, as far as was read. */
  boolean hasEnded() {
    return ended;
  }

  /** Bytes of the answer, over HTTP/1.1 those of its head included. */
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
    } catch (SocketException | SSLException e) {
      // A reset, or no close_notify: what the server's socket still had is gone.
      length = -1;
    }
    if (length < 0) {
      ended = true;
    } else if (isHttp2) {
      readFrames(ByteBuffer.wrap(buffer, 0, length));
    } else {
      received += length;
    }
  }

  /** The one stream's: counts the payload of DATA, and sees how it ends (RFC 9113, section 4.1). */
  private void readFrames(ByteBuffer bytes) {
    while (bytes.hasRemaining() && !ended) {
      if (frameHead.hasRemaining()) {
        frameHead.put(bytes.get());
        if (!frameHead.hasRemaining()) {
          int type = frameHead.get(3);
          frameRest = frameHead.getInt(0) >>> 8;
          isLastFrame =
              type == Http2Wire.RST_STREAM
                  || (type == Http2Wire.DATA && (frameHead.get(4) & Http2Wire.END_STREAM) != 0);
        }
      } else {
        int count = Math.min(frameRest, bytes.remaining());
        received += frameHead.get(3) == Http2Wire.DATA ? count : 0;
        bytes.position(bytes.position() + count);
        frameRest -= count;
      }
      if (!frameHead.hasRemaining() && frameRest == 0) {
        ended = isLastFrame;
        frameHead.clear();
      }
    }
  }
}
