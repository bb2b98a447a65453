package io.artifactserver.core.testserver;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands between an HTTP client and its server, writes down every request, and does what networks
 * and servers do on a bad day. Thread-safe. Bodies have a Content-Length or end with the
 * connection.
 */
public final class FaultProxy implements Closeable {
  /** A request as it came. */
  public record Request(String method, String target, List<String> fields) {
    /** A field's value. */
    public Optional<String> field(String name) {
      String prefix = name.toLowerCase(Locale.ROOT) + ':';
      return fields.stream()
          .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(prefix))
          .map(line -> line.substring(prefix.length()).strip())
          .findFirst();
    }
  }

  /** The fate of a request. */
  public sealed interface Fault {
    /** The connection is reset after so many bytes of the answer's body; none: before its head. */
    record Reset(int afterBytes) implements Fault {}

    /** The connection is closed in order after so many bytes of the answer's body. */
    record Truncate(int afterBytes) implements Fault {}

    /** Nothing more comes after so many bytes of the answer's body, until the proxy is closed. */
    record Stall(int afterBytes) implements Fault {}

    /** The server is not asked; the answer is an error of S3's. */
    record Refuse(int status, String code) implements Fault {}

    /** The answer waits until the latch is open. */
    record Hold(CountDownLatch latch) implements Fault {}

    /** The answer takes so long. */
    record Delay(long millis) implements Fault {}

    /** A byte of the body is another one, or the first one where the body is shorter. */
    record Flip(int position) implements Fault {}

    /** The body is the last byte and then the others. */
    record Shift() implements Fault {}

    /** A field of the answer's head has another value. */
    record Field(String name, String value) implements Fault {}

    /** The server is asked for all of the object: 200 in the place of 206. */
    record Whole() implements Fault {}

    /** The server is asked, and does it; the answer is an error of S3's. */
    record Deny(int status, String code) implements Fault {}

    /** Both connections are reset after so many bytes of the request's body. */
    record ResetUpload(int afterBytes) implements Fault {}

    /** Both connections are closed in order after so many bytes of the request's body. */
    record TruncateUpload(int afterBytes) implements Fault {}

    /**
     * No more of the request is read after so many bytes of its body, until the proxy is closed.
     */
    record StallUpload(int afterBytes) implements Fault {}

    /** A byte of the request's body is another one, or the first one where the body is shorter. */
    record FlipUpload(int position) implements Fault {}

    /** The bytes of the request's body arrive one byte further on, the last one first. */
    record ShiftUpload() implements Fault {}
  }

  private record Planned(Predicate<Request> condition, Fault fault, AtomicInteger times) {}

  private final ServerSocket listener;
  private final InetSocketAddress server;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final Queue<Request> requests = new ConcurrentLinkedQueue<>();
  private final Queue<Planned> faults = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  private final AtomicLong bodyBytes = new AtomicLong();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();

  private FaultProxy(ServerSocket listener, InetSocketAddress server) {
    this.listener = listener;
    this.server = server;
  }

  /** Starts a proxy on a free port of the loopback interface. */
  public static FaultProxy start(int serverPort) throws IOException {
    FaultProxy proxy =
        new FaultProxy(
            new ServerSocket(0, 1024, InetAddress.getLoopbackAddress()),
            new InetSocketAddress(InetAddress.getLoopbackAddress(), serverPort));
    Thread.ofVirtual().name("fault-proxy").start(proxy::accept);
    return proxy;
  }

  /** Its address. */
  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /** The next requests that meet the condition, so many of them, get the fault. */
  public void plan(int times, Predicate<Request> condition, Fault fault) {
    faults.add(new Planned(condition, fault, new AtomicInteger(times)));
  }

  /** No more faults. */
  public void recover() {
    faults.clear();
  }

  /** Forgets what was counted. */
  public void reset() {
    requests.clear();
    bodyBytes.set(0);
    peak.set(inFlight.get());
  }

  /** The requests so far, in the order they came. */
  public List<Request> requests() {
    return List.copyOf(requests);
  }

  /** Those of one method. */
  public List<Request> requests(String method) {
    return requests.stream().filter(request -> request.method().equals(method)).toList();
  }

  /** Bytes of the bodies of answers to GET. */
  public long bodyBytes() {
    return bodyBytes.get();
  }

  /** Most requests at the server at once. */
  public int peakInFlight() {
    return peak.get();
  }

  /** Ends every connection. */
  @Override
  public void close() throws IOException {
    closed.countDown();
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        sockets.add(client);
        Thread.ofVirtual().name("fault-proxy-connection").start(() -> serve(client));
      } catch (IOException e) {
        // The listener was closed, or a client left before it was accepted.
      }
    }
  }

  private void serve(Socket client) {
    try (client;
        Upstream upstream = new Upstream(server)) {
      sockets.add(upstream.socket);
      client.setTcpNoDelay(true);
      InputStream fromClient = new BufferedInputStream(client.getInputStream());
      OutputStream toClient = new BufferedOutputStream(client.getOutputStream());
      while (true) {
        List<String> head = HttpMessages.head(fromClient);
        String[] line = head.getFirst().split(" ", 3);
        Request request = new Request(line[0], line[1], head.subList(1, head.size()));
        requests.add(request);
        try (Answer answer = new Answer(request.method().equals("GET"))) {
          FaultyExchange exchange =
              new FaultyExchange(
                  request,
                  head,
                  faultFor(request),
                  fromClient,
                  toClient,
                  client,
                  upstream,
                  answer,
                  closed);
          if (!exchange.run()) {
            return;
          }
        }
      }
    } catch (IOException e) {
      // Either side went away, as they may.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Optional<Fault> faultFor(Request request) {
    for (Planned planned : faults) {
      if (planned.condition().test(request) && planned.times().getAndDecrement() > 0) {
        return Optional.of(planned.fault());
      }
    }
    return Optional.empty();
  }

  /** A connection to the server, made when there is something to ask. */
  static final class Upstream implements AutoCloseable {
    private final InetSocketAddress server;
    private final Socket socket = new Socket();
    private @Nullable InputStream in;
    private @Nullable OutputStream out;

    private Upstream(InetSocketAddress server) {
      this.server = server;
    }

    void connect() throws IOException {
      if (!socket.isConnected()) {
        socket.setTcpNoDelay(true);
        socket.connect(server);
        in = new BufferedInputStream(socket.getInputStream());
        out = new BufferedOutputStream(socket.getOutputStream());
      }
    }

    InputStream in() {
      return Objects.requireNonNull(in);
    }

    OutputStream out() {
      return Objects.requireNonNull(out);
    }

    /** The connection ends with a reset when it is closed. */
    void reset() throws IOException {
      socket.setSoLinger(true, 0);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  /**
   * Counts an answer, each time before the client gets what is counted: nobody who has an answer
   * sees counters without it.
   */
  final class Answer implements AutoCloseable {
    private final boolean isCounted;
    private long left = Long.MAX_VALUE;
    private boolean isOver;

    Answer(boolean isCounted) {
      this.isCounted = isCounted;
      peak.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
    }

    /** The answer is over with so many bytes more. */
    void expect(long bytes) {
      left = bytes;
      add(0);
    }

    void add(long bytes) {
      if (isCounted) {
        bodyBytes.addAndGet(bytes);
      }
      left -= bytes;
      if (left == 0) {
        close();
      }
    }

    @Override
    public void close() {
      if (!isOver) {
        isOver = true;
        inFlight.decrementAndGet();
      }
    }
  }
}
