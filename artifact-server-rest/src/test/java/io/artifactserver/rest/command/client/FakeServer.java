package io.artifactserver.rest.command.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Answers the client as a server does whose every answer a test may replace: downloads by range,
 * and uploads by tus with their parts. Thread-safe.
 */
final class FakeServer implements AutoCloseable {
  private static final String UPLOADS = TusUploads.PATH;

  /** By repository and path. */
  final Map<String, byte[]> artifacts = new ConcurrentHashMap<>();

  /** Unfinished ones, by id. */
  final Map<String, ByteArrayOutputStream> uploads = new ConcurrentHashMap<>();

  /** Methods and targets, in the order they came. */
  final List<String> requests = new CopyOnWriteArrayList<>();

  private final Map<String, String> metadata = new ConcurrentHashMap<>();
  private final List<Replaced> replaced = new CopyOnWriteArrayList<>();
  private final AtomicInteger ids = new AtomicInteger();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;

  FakeServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /**
   * Replaces answers, the first of them after others.
   *
   * @param request the beginning of method and target
   * @param after so many requests like that are answered as always
   */
  void replace(String request, int after, HttpHandler handler) {
    replaced.add(new Replaced(request, new AtomicInteger(after), handler));
  }

  /** A problem, as the server says it. */
  static HttpHandler problem(int status, String detail) {
    return exchange -> {
      exchange.getResponseHeaders().set("Content-Type", "application/problem+json");
      answer(exchange, status, "{\"detail\":\"%s\"}".formatted(detail));
    };
  }

  static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    boolean hasBody = bytes.length > 0 && !exchange.getRequestMethod().equals("HEAD");
    exchange.sendResponseHeaders(status, hasBody ? bytes.length : -1);
    if (hasBody) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  static String entityTag(byte[] bytes) {
    return "\"" + reprDigest(bytes).hashCode() + "\"";
  }

  static String reprDigest(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return "sha-256=:%s:".formatted(Base64.getEncoder().encodeToString(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private record Replaced(String request, AtomicInteger after, HttpHandler handler) {}

  private void handle(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    String request = exchange.getRequestMethod() + " " + path;
    requests.add(request);
    for (Replaced each : replaced) {
      if (request.startsWith(each.request()) && each.after().getAndDecrement() <= 0) {
        each.handler().handle(exchange);
        return;
      }
    }
    answerAsAlways(exchange);
  }

  /** For a replacement that adds to an answer. */
  void answerAsAlways(HttpExchange exchange) throws IOException {
    String path = exchange.getRequestURI().getPath();
    if (path.startsWith("/artifacts/")) {
      download(exchange, path.substring("/artifacts/".length()));
    } else if (path.equals(UPLOADS)) {
      begin(exchange);
    } else {
      upload(exchange, path.substring(UPLOADS.length() + 1));
    }
  }

  private void download(HttpExchange exchange, String name) throws IOException {
    byte @Nullable [] bytes = artifacts.get(name);
    if (bytes == null) {
      answer(exchange, 404, "");
      return;
    }
    exchange.getResponseHeaders().set("Repr-Digest", reprDigest(bytes));
    exchange.getResponseHeaders().set("ETag", entityTag(bytes));
    String range = exchange.getRequestHeaders().getFirst("Range");
    if (range == null) {
      exchange.getResponseHeaders().set("Content-Length", String.valueOf(bytes.length));
      exchange.sendResponseHeaders(200, -1);
      exchange.close();
      return;
    }
    String[] edges = range.substring("bytes=".length()).split("-", 2);
    int begin = Integer.parseInt(edges[0]);
    int end = Math.min(Integer.parseInt(edges[1]) + 1, bytes.length);
    exchange
        .getResponseHeaders()
        .set("Content-Range", "bytes %d-%d/%d".formatted(begin, end - 1, bytes.length));
    exchange.sendResponseHeaders(206, end - begin);
    exchange.getResponseBody().write(bytes, begin, end - begin);
    exchange.close();
  }

  private void begin(HttpExchange exchange) throws IOException {
    if (exchange.getRequestMethod().equals("OPTIONS")) {
      exchange.getResponseHeaders().set("Tus-Extension", "creation,concatenation");
      answer(exchange, 204, "");
      return;
    }
    String concat = exchange.getRequestHeaders().getFirst("Upload-Concat");
    String described = exchange.getRequestHeaders().getFirst("Upload-Metadata");
    if (concat != null && concat.startsWith("final;")) {
      concatenate(exchange, concat.substring("final;".length()).split(" "), described);
      return;
    }
    String id = "upload-" + ids.incrementAndGet();
    uploads.put(id, new ByteArrayOutputStream());
    metadata.put(id, described);
    exchange.getResponseHeaders().set("Location", UPLOADS + "/" + id);
    if (concat == null && exchange.getRequestHeaders().getFirst("Upload-Length").equals("0")) {
      complete(id);
    }
    answer(exchange, 201, "");
  }

  private void concatenate(HttpExchange exchange, String[] parts, String described)
      throws IOException {
    List<String> partIds =
        Arrays.stream(parts).map(part -> part.substring(UPLOADS.length() + 1)).toList();
    if (!uploads.keySet().containsAll(partIds)) {
      answer(exchange, 404, "");
      return;
    }
    ByteArrayOutputStream whole = new ByteArrayOutputStream();
    for (String part : partIds) {
      whole.writeBytes(Objects.requireNonNull(uploads.remove(part)).toByteArray());
    }
    artifacts.put(name(described), whole.toByteArray());
    answerMade(exchange);
  }

  /** Parts have become an artifact. */
  static void answerMade(HttpExchange exchange) throws IOException {
    exchange.getResponseHeaders().set("Content-Location", "/api/v1/repositories/boards");
    answer(exchange, 201, "");
  }

  private void upload(HttpExchange exchange, String id) throws IOException {
    ByteArrayOutputStream bytes = uploads.get(id);
    if (bytes == null) {
      answer(exchange, 404, "");
      return;
    }
    switch (exchange.getRequestMethod()) {
      case "DELETE" -> uploads.remove(id);
      case "PATCH" -> {
        exchange.getRequestBody().transferTo(bytes);
        if (exchange.getRequestHeaders().containsKey("Repr-Digest")) {
          complete(id);
        }
      }
      default -> {}
    }
    exchange.getResponseHeaders().set("Upload-Offset", String.valueOf(bytes.size()));
    answer(exchange, exchange.getRequestMethod().equals("HEAD") ? 200 : 204, "");
  }

  private void complete(String id) {
    ByteArrayOutputStream bytes = Objects.requireNonNull(uploads.remove(id));
    artifacts.put(name(Objects.requireNonNull(metadata.get(id))), bytes.toByteArray());
  }

  private static String name(String described) {
    StringBuilder name = new StringBuilder();
    for (String key : List.of("repository ", "path ")) {
      String value =
          Arrays.stream(described.split(","))
              .filter(pair -> pair.startsWith(key))
              .findFirst()
              .orElseThrow()
              .substring(key.length());
      name.append(name.isEmpty() ? "" : "/")
          .append(new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8));
    }
    return name.toString();
  }
}
