package io.artifactserver.benchmarks.load;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Serves ranges of bytes in memory over HTTP/1.1, and lies from a certain request on. */
final class LyingServer implements AutoCloseable {
  private static final Pattern RANGE = Pattern.compile("(?im)^range: bytes=(\\d+)-(\\d*)");

  /** Its fault. */
  enum Lie {
    NONE,
    WRONG_BYTE,
    WRONG_LAST_BYTE,
    /** The right bytes, and a Content-Range of others. */
    WRONG_RANGE,
    /** Fewer bytes than its Content-Length, then the end. */
    SHORT_BODY,
    /** Half of the body, then nothing. */
    STALL,
    /** Status 500. */
    ERROR,
    /** 200 and everything. */
    IGNORES_RANGE,
    /** One byte more than its Content-Length. */
    LONG_BODY,
    /** Not HTTP. */
    NOISE,
    /** Closes after each response, and says so. */
    CLOSES
  }

  private final byte[] content;
  private final Lie lie;
  private final int honestRequests;
  private final int piece;
  private final ServerSocket listener;
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final AtomicInteger connections = new AtomicInteger();
  private final AtomicInteger requests = new AtomicInteger();

  /**
   * @param honestRequests answered as they should be before it begins to lie
   * @param piece bytes that it writes at once: heads and bodies then come torn
   */
  LyingServer(byte[] content, Lie lie, int honestRequests, int piece) throws IOException {
    this.content = content.clone();
    this.lie = lie;
    this.honestRequests = honestRequests;
    this.piece = piece;
    this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
    Thread.ofVirtual().start(this::accept);
  }

  Target target() {
    return new Target(URI.create("http://127.0.0.1:" + listener.getLocalPort() + "/file"), "");
  }

  int connections() {
    return connections.get();
  }

  int requests() {
    return requests.get();
  }

  private void accept() {
    try {
      while (true) {
        Socket socket = listener.accept();
        connections.incrementAndGet();
        sockets.add(socket);
        socket.setTcpNoDelay(true);
        Thread.ofVirtual().start(() -> serve(socket));
      }
    } catch (SocketException e) {
      // It was closed.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      InputStream in = socket.getInputStream();
      OutputStream out = socket.getOutputStream();
      String head = readHead(in);
      while (!head.isEmpty() && answer(head, out)) {
        head = readHead(in);
      }
    } catch (IOException e) {
      // The client went away, as clients do.
    }
  }

  private static String readHead(InputStream in) throws IOException {
    ByteArrayOutputStream head = new ByteArrayOutputStream();
    while (true) {
      int b = in.read();
      if (b < 0) {
        return "";
      }
      head.write(b);
      String text = head.toString(StandardCharsets.US_ASCII);
      if (text.endsWith("\r\n\r\n")) {
        return text;
      }
    }
  }

  /** Returns whether the connection stays open. */
  private boolean answer(String head, OutputStream out) throws IOException {
    Lie now = requests.getAndIncrement() < honestRequests ? Lie.NONE : lie;
    Matcher range = RANGE.matcher(head);
    boolean partial = range.find() && now != Lie.IGNORES_RANGE;
    int first = partial ? Integer.parseInt(range.group(1)) : 0;
    int last =
        partial && !range.group(2).isEmpty()
            ? Integer.parseInt(range.group(2))
            : content.length - 1;
    byte[] body = Arrays.copyOfRange(content, first, last + 1);
    if (now == Lie.NOISE) {
      out.write("SSH-2.0-OpenSSH_9.2\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      return false;
    }
    if (now == Lie.ERROR) {
      out.write(
          "HTTP/1.1 500 Oh\r\nContent-Length: 4\r\n\r\nnope".getBytes(StandardCharsets.US_ASCII));
      return true;
    }
    if (now == Lie.WRONG_BYTE) {
      body[body.length / 2] ^= 1;
    }
    if (now == Lie.WRONG_LAST_BYTE) {
      body[body.length - 1] ^= 1;
    }
    int shift = now == Lie.WRONG_RANGE ? 1 : 0;
    String response =
        (partial ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n")
            + (partial
                ? "cOnTeNt-RaNgE: bytes %d-%d/%d\r\n"
                    .formatted(first + shift, last + shift, content.length)
                : "")
            + (now == Lie.CLOSES ? "Connection: close\r\n" : "")
            + "ETag: \"tag\"\r\nContent-Length: %d\r\n\r\n".formatted(body.length);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.write(response.getBytes(StandardCharsets.US_ASCII));
    all.write(body, 0, now == Lie.STALL || now == Lie.SHORT_BODY ? body.length / 2 : body.length);
    if (now == Lie.LONG_BODY) {
      all.write(0);
    }
    byte[] bytes = all.toByteArray();
    for (int at = 0; at < bytes.length; at += piece) {
      out.write(bytes, at, Math.min(piece, bytes.length - at));
    }
    return now != Lie.SHORT_BODY && now != Lie.CLOSES;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
