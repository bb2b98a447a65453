package io.artifactserver.rest.endtoend;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.GZIPOutputStream;

/** A reverse proxy of HTTP/1.1 with one request a connection, and a fault. Thread-safe. */
final class FaultyProxy implements AutoCloseable {
  private static final String END = "\r\n\r\n";

  private final int target;
  private final Fault fault;
  private final ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AtomicBoolean sawToken = new AtomicBoolean();

  /** Changes of what passes; most proxies that disturb do it in one of these ways. */
  enum Fault {
    NONE,
    LIMITS_UPLOADS,
    KEEPS_UPLOADS,
    KEEPS_ANSWERS,
    COMPRESSES,
    DROPS_RANGE,
    DROPS_SEVERAL_RANGES,
    SHIFTS_RANGE,
    DROPS_CONDITIONS,
    DROPS_LENGTH,
    WEAKENS_TAG,
    DROPS_DIGEST,
    REDIRECTS,
    TAKES_THE_CLIENT_AWAY,
    IS_NOT_TRUSTED
  }

  FaultyProxy(int target, Fault fault) throws IOException {
    this.target = target;
    this.fault = fault;
    threads.execute(this::accept);
  }

  String url() {
    return "http://127.0.0.1:" + listener.getLocalPort();
  }

  /** Whether a token was sent to it. */
  boolean sawToken() {
    return sawToken.get();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    threads.shutdownNow();
  }

  private String request(String head) {
    return switch (fault) {
      case DROPS_RANGE -> without("Range", head);
      case DROPS_SEVERAL_RANGES -> head.contains("0-9, 100") ? without("Range", head) : head;
      case DROPS_CONDITIONS -> without("If-None-Match", without("If-Range", head));
      case TAKES_THE_CLIENT_AWAY -> without("X-Forwarded-For", head);
      case IS_NOT_TRUSTED -> head.replace("192.0.2.7", "192.0.2.7, 203.0.113.9");
      default -> head;
    };
  }

  private String answer(String head) {
    return switch (fault) {
      // The bytes are the server's, the positions are not.
      case SHIFTS_RANGE -> head.replaceAll("Content-Range: bytes \\d", "Content-Range: bytes 9");
      case DROPS_LENGTH -> without("Content-Length", head);
      case WEAKENS_TAG -> head.replace("ETag: \"", "ETag: W/\"");
      case DROPS_DIGEST -> without("Repr-Digest", head);
      case REDIRECTS ->
          head.replace("HTTP/1.1 200 OK", "HTTP/1.1 308 Moved\r\nLocation: https://else/");
      default -> head;
    };
  }

  private static String without(String field, String head) {
    return head.replaceAll("(?i)\r\n" + field + ": [^\r]*", "");
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        threads.execute(() -> relay(client));
      } catch (IOException e) {
        // Closed: the test is over.
      }
    }
  }

  private void relay(Socket client) {
    try (client;
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target)) {
      InputStream in = client.getInputStream();
      String head = without("Connection", head(in));
      sawToken.compareAndSet(false, head.contains("Authorization"));
      if (fault == Fault.LIMITS_UPLOADS && head.startsWith("PUT")) {
        client
            .getOutputStream()
            .write(latin("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close" + END));
        return;
      }
      if (fault == Fault.KEEPS_UPLOADS && head.startsWith("PUT")) {
        // It never ends.
        in.transferTo(OutputStream.nullOutputStream());
        return;
      }
      server
          .getOutputStream()
          .write(latin(request(head).replaceFirst(END, "\r\nConnection: close" + END)));
      threads.execute(() -> passOn(in, server));
      answer(server.getInputStream(), client.getOutputStream());
    } catch (IOException e) {
      // The client went away, as clients do.
    }
  }

  private static void passOn(InputStream in, Socket server) {
    try {
      in.transferTo(server.getOutputStream());
    } catch (IOException e) {
      // One of the two went away.
    }
  }

  private void answer(InputStream in, OutputStream out) throws IOException {
    String head = answer(head(in));
    if (fault == Fault.KEEPS_ANSWERS) {
      byte[] body = in.readAllBytes();
      out.write(latin(head));
      out.write(body);
    } else if (fault == Fault.COMPRESSES && head.contains("Repr-Digest: ")) {
      ByteArrayOutputStream packed = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
        in.transferTo(gzip);
      }
      out.write(
          latin(
              without("Content-Length", head)
                  .replaceFirst(END, "\r\nContent-Encoding: gzip" + END)));
      packed.writeTo(out);
    } else {
      out.write(latin(head));
      in.transferTo(out);
    }
  }

  private static byte[] latin(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String head(InputStream in) throws IOException {
    StringBuilder head = new StringBuilder();
    while (head.indexOf(END) < 0) {
      int next = in.read();
      if (next < 0) {
        throw new IOException("The connection was closed in front of " + head);
      }
      head.append((char) next);
    }
    return head.toString();
  }
}
