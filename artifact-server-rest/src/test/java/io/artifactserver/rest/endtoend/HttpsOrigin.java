package io.artifactserver.rest.endtoend;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import javax.net.ssl.SSLContext;

/** An HTTPS server with files that others fetch, on a port of its own. Thread-safe. */
public final class HttpsOrigin implements AutoCloseable {
  private final HttpsServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, HttpHandler> handlers = new ConcurrentHashMap<>();
  private final List<Asked> asked = new CopyOnWriteArrayList<>();

  /**
   * A request.
   *
   * @param fields its names and values, in lower case
   */
  public record Asked(String path, String fields) {}

  /**
   * @param identity the server's certificate
   * @param port 0 for any
   */
  public HttpsOrigin(SSLContext identity, InetAddress address, int port) throws IOException {
    server = HttpsServer.create(new InetSocketAddress(address, port), 64);
    server.setHttpsConfigurator(new HttpsConfigurator(identity));
    server.setExecutor(threads);
    server.createContext("/", this::answer);
    server.start();
  }

  public int port() {
    return server.getAddress().getPort();
  }

  public URI uri(String host, String path) {
    return URI.create("https://" + host + ':' + port() + path);
  }

  /** Requests, in their order. */
  public List<Asked> asked() {
    return asked;
  }

  /** Answers requests of a path. */
  public void answer(String path, HttpHandler handler) {
    handlers.put(path, handler);
  }

  private void answer(HttpExchange exchange) throws IOException {
    asked.add(
        new Asked(
            exchange.getRequestURI().toString(),
            exchange.getRequestHeaders().toString().toLowerCase(Locale.ROOT)));
    try (exchange) {
      HttpHandler handler = handlers.get(exchange.getRequestURI().getPath());
      if (handler == null) {
        exchange.sendResponseHeaders(404, -1);
      } else {
        handler.handle(exchange);
      }
    }
  }

  /** For a file whose connection does not break. */
  public static int never() {
    return Integer.MAX_VALUE;
  }

  /** Redirects. */
  public void redirect(String path, String location) {
    answer(
        path,
        exchange -> {
          exchange.getResponseHeaders().set("Location", location);
          exchange.sendResponseHeaders(302, -1);
        });
  }

  /**
   * Sends a file, or the rest of it.
   *
   * @param breaksAfter asked for each answer: so many bytes later its connection breaks
   */
  public void file(String path, byte[] content, String entityTag, IntSupplier breaksAfter) {
    answer(path, exchange -> send(exchange, content, entityTag, breaksAfter.getAsInt()));
  }

  private static void send(HttpExchange exchange, byte[] content, String entityTag, int breaksAfter)
      throws IOException {
    String range = exchange.getRequestHeaders().getFirst("Range");
    boolean isRest =
        range != null && entityTag.equals(exchange.getRequestHeaders().getFirst("If-Range"));
    int position = isRest ? Integer.parseInt(range.replaceAll("bytes=(\\d+)-", "$1")) : 0;
    if (!entityTag.isEmpty()) {
      exchange.getResponseHeaders().set("ETag", entityTag);
    }
    if (isRest) {
      exchange
          .getResponseHeaders()
          .set(
              "Content-Range",
              "bytes %d-%d/%d".formatted(position, content.length - 1, content.length));
    }
    int length = content.length - position;
    exchange.sendResponseHeaders(isRest ? 206 : 200, length == 0 ? -1 : length);
    OutputStream body = exchange.getResponseBody();
    body.write(content, position, Math.min(length, breaksAfter));
    body.flush();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  /** For an answer that comes late: waits for the latch, and for no longer than so many ms. */
  public static void await(CountDownLatch latch, long millis) throws IOException {
    try {
      boolean _ = latch.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
