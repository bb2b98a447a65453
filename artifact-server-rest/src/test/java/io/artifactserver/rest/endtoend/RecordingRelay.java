package io.artifactserver.rest.endtoend;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Stands between a client and the server, passes every byte on, and remembers what was asked and
 * how much was answered. Thread-safe.
 */
final class RecordingRelay implements AutoCloseable {
  private static final String MULTIPART = "Content-Type: multipart/byteranges";

  private final int target;
  private final String scheme;
  private final boolean isReadable;
  private final ServerSocket listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final StringBuilder requests = new StringBuilder();
  private final AtomicLong answeredBytes = new AtomicLong();
  private final AtomicInteger multipartAnswers = new AtomicInteger();

  /** How many bytes of answers the next connections pass. */
  private final Queue<Integer> cuts = new ConcurrentLinkedQueue<>();

  private final Queue<RequestCut> requestCuts = new ConcurrentLinkedQueue<>();

  RecordingRelay(int target) throws IOException {
    this(target, "http", true);
  }

  RecordingRelay(Endpoint target) throws IOException {
    this(target.port(), target.uri("").getScheme(), target.transport() == Transport.HTTP1);
  }

  private RecordingRelay(int target, String scheme, boolean isReadable) throws IOException {
    this.target = target;
    this.scheme = scheme;
    this.isReadable = isReadable;
    threads.execute(this::accept);
  }

  /** Whether what passes is text; else bytes are all that can be counted. */
  boolean isReadable() {
    return isReadable;
  }

  String url(String path) {
    return scheme
        + (scheme.equals("https") ? "://localhost:" : "://127.0.0.1:")
        + listener.getLocalPort()
        + path;
  }

  /** Everything that clients sent. */
  String requests() {
    if (!isReadable) {
      throw new IllegalStateException("Requests are encrypted or packed");
    }
    synchronized (requests) {
      return requests.toString();
    }
  }

  /** How many times a pattern occurs in what clients sent. */
  long requests(String pattern) {
    return Pattern.compile(pattern).matcher(requests()).results().count();
  }

  /** Bytes that the server sent, its fields among them. */
  long answeredBytes() {
    return answeredBytes.get();
  }

  /** How many 206 answers had several parts. */
  int multipartAnswers() {
    return multipartAnswers.get();
  }

  /** Closes one of the connections to come after so many bytes of its answers. */
  void cutAfter(int bytes) {
    cuts.add(bytes);
  }

  /**
   * Closes the next connection that brings so many bytes of requests.
   *
   * @param isReset whether the server loses what it has not read; else it sees their end
   */
  void cutRequestsAfter(int bytes, boolean isReset) {
    requestCuts.add(new RequestCut(bytes, isReset));
  }

  private record RequestCut(int bytes, boolean isReset) {}

  /** Whether each connection that was to be cut has been. */
  boolean isAllCut() {
    return cuts.isEmpty() && requestCuts.isEmpty();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    threads.shutdownNow();
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
      threads.execute(() -> passRequestsOn(client, server));
      passAnswersOn(server.getInputStream(), client.getOutputStream());
    } catch (IOException e) {
      // The client went away, as clients do.
    }
  }

  private void passRequestsOn(Socket client, Socket server) {
    byte[] buffer = new byte[16 * 1024];
    try (client;
        server) {
      InputStream in = client.getInputStream();
      long passed = 0;
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        synchronized (requests) {
          requests.append(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
        }
        server.getOutputStream().write(buffer, 0, n);
        passed += n;
        RequestCut cut = requestCuts.peek();
        if (cut != null && passed >= cut.bytes() && requestCuts.remove(cut)) {
          if (cut.isReset()) {
            server.setSoLinger(true, 0);
          }
          return;
        }
      }
    } catch (IOException e) {
      // One of the two went away.
    }
  }

  private void passAnswersOn(InputStream in, OutputStream out) throws IOException {
    byte[] buffer = new byte[64 * 1024];
    String tail = "";
    Integer cut = cuts.poll();
    long rest = cut == null ? Long.MAX_VALUE : cut;
    for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
      answeredBytes.addAndGet(n);
      String text = tail + new String(buffer, 0, n, StandardCharsets.ISO_8859_1);
      for (int i = text.indexOf(MULTIPART); i >= 0; i = text.indexOf(MULTIPART, i + 1)) {
        multipartAnswers.incrementAndGet();
      }
      tail = text.substring(Math.max(0, text.length() - MULTIPART.length() + 1));
      out.write(buffer, 0, (int) Math.min(rest, n));
      rest -= n;
      if (rest <= 0) {
        return;
      }
    }
  }
}
