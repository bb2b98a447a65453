package io.artifactserver.rest.hawkbit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Answers devices as hawkBit 1 does: their next action, its deployment, a module's artifacts and
 * downloads. 401 to a token that is not the device's, 404 to what is not assigned, 429 beyond so
 * many requests a second. Thread-safe.
 */
public final class FakeHawkbit implements AutoCloseable {
  /** A way in which hawkBit fails. */
  public enum Fault {
    NONE,
    ERROR_500,
    TOO_MANY,
    HTML,
    SILENCE
  }

  private static final Pattern CLOSED = Pattern.compile("\"execution\"\\s*:\\s*\"closed\"");
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Map<String, String> tokens = new ConcurrentHashMap<>();
  private final Map<String, Set<String>> assigned = new ConcurrentHashMap<>();
  private final Map<String, Map<String, byte[]>> modules = new ConcurrentHashMap<>();
  private final Map<String, byte[]> ciphertexts = new ConcurrentHashMap<>();

  private final Map<String, AtomicInteger> questions = new ConcurrentHashMap<>();
  private final AtomicLong artifactBytes = new AtomicLong();
  private final AtomicInteger refusals = new AtomicInteger();
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger mostUnderWay = new AtomicInteger();
  private final ArtifactDescriptions descriptions = new ArtifactDescriptions();
  private final Map<String, String> actions = new ConcurrentHashMap<>();
  private final List<String> feedback = new CopyOnWriteArrayList<>();
  private final AtomicInteger downloads = new AtomicInteger();
  private final AtomicInteger cutAfter = new AtomicInteger(Integer.MAX_VALUE);
  private final Semaphore cuts = new Semaphore(0);
  private final Semaphore silence = new Semaphore(0);
  private volatile Fault fault = Fault.NONE;
  private volatile String gatewayToken = "";
  private volatile int maxPerSecond = Integer.MAX_VALUE;

  private long windowStart = System.nanoTime();
  private int inWindow;

  public FakeHawkbit() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1024);
    server.setExecutor(threads);
    server.createContext("/", this::handle);
    server.start();
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Adds a device, or gives it another token. */
  public void device(String controllerId, String token) {
    tokens.put(controllerId, token);
  }

  public void gatewayToken(String token) {
    gatewayToken = token;
  }

  public void assign(String controllerId, String module) {
    assigned.computeIfAbsent(controllerId, _ -> ConcurrentHashMap.newKeySet()).add(module);
  }

  public void unassign(String controllerId, String module) {
    Objects.requireNonNull(assigned.get(controllerId)).remove(module);
  }

  public void artifact(String module, String fileName, byte[] content) {
    modules.computeIfAbsent(module, _ -> new ConcurrentHashMap<>()).put(fileName, content);
  }

  /** hawkBit describes what its folder has, and sends what it decrypts. */
  public void encryptedArtifact(String module, String fileName, byte[] plain, byte[] ciphertext) {
    artifact(module, fileName, plain);
    ciphertexts.put(module + '/' + fileName, ciphertext);
  }

  public void fault(Fault now) {
    fault = now;
    if (now != Fault.SILENCE) {
      silence.release(1_000_000);
    }
  }

  public void maxPerSecond(int max) {
    maxPerSecond = max;
  }

  /** How often a device asked what it is granted. */
  public int questions(String controllerId) {
    AtomicInteger count = questions.get(controllerId);
    return count == null ? 0 : count.get();
  }

  public int questions() {
    return questions.values().stream().mapToInt(AtomicInteger::get).sum();
  }

  public long artifactBytes() {
    return artifactBytes.get();
  }

  public int refusals() {
    return refusals.get();
  }

  public int mostUnderWay() {
    return mostUnderWay.get();
  }

  @Override
  public void close() {
    fault(Fault.NONE);
    cuts.release(1_000_000);
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
    try (exchange) {
      answer(exchange);
    } finally {
      underWay.decrementAndGet();
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    String[] path = exchange.getRequestURI().getRawPath().split("/");
    if (isTooMany()) {
      refusals.incrementAndGet();
      send(exchange, 429, "", "");
      return;
    }
    String controllerId = path.length > 4 ? URLDecoder.decode(path[4], StandardCharsets.UTF_8) : "";
    if (path.length == 8 && path[5].equals("softwaremodules")) {
      questions.computeIfAbsent(controllerId, _ -> new AtomicInteger()).incrementAndGet();
    }
    switch (fault) {
      case ERROR_500 -> send(exchange, 500, "application/json", "{\"message\":\"planted\"}");
      case TOO_MANY -> {
        refusals.incrementAndGet();
        send(exchange, 429, "", "");
      }
      case HTML -> send(exchange, 200, "text/html", "<html><body>Sign in</body></html>");
      case SILENCE -> silence.acquireUninterruptibly();
      case NONE -> answer(exchange, path, controllerId);
    }
  }

  private void answer(HttpExchange exchange, String[] path, String controllerId)
      throws IOException {
    String authorization =
        Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst("Authorization"), "");
    boolean isGateway =
        !gatewayToken.isEmpty() && authorization.equals("GatewayToken " + gatewayToken);
    if (!isGateway && !authorization.equals("TargetToken " + tokens.get(controllerId))) {
      send(exchange, 401, "", "");
      return;
    }
    if (path.length == 5) {
      send(exchange, 200, "application/json", root(exchange, path[1], controllerId));
      return;
    }
    if (path[5].equals("configData")) {
      send(exchange, 200, "", "");
      return;
    }
    if (path[5].equals("deploymentBase")) {
      deployment(exchange, path, controllerId);
      return;
    }
    String module = path.length > 6 ? path[6] : "";
    Map<String, byte[]> artifacts = modules.get(module);
    if (artifacts == null || !assigned.getOrDefault(controllerId, Set.of()).contains(module)) {
      send(exchange, 404, "application/json", "{\"errorCode\":\"planted\"}");
    } else if (path.length == 8) {
      send(
          exchange,
          200,
          "application/json",
          MAPPER.writeValueAsString(described(exchange, path[1], controllerId, module)));
    } else {
      download(exchange, artifacts.get(URLDecoder.decode(path[8], StandardCharsets.UTF_8)));
    }
  }

  /** Gives the device an action to poll. */
  public void action(String controllerId, String number) {
    actions.put(controllerId, number);
  }

  /** The devices' feedback on their actions: the action's number, and the body. */
  public List<String> feedback() {
    return List.copyOf(feedback);
  }

  /** Sets a property of hawkBit by which it makes links to artifacts. */
  public void property(String name, String value) {
    descriptions.property(name, value);
  }

  /**
   * hawkBit wants the attributes of a new device; SWUpdate takes no action before it has read so.
   */
  private String root(HttpExchange exchange, String tenant, String controllerId) {
    String own =
        "http://%s/%s/controller/v1/%s".formatted(authority(exchange), tenant, controllerId);
    Map<String, Object> offered = new LinkedHashMap<>();
    String action = actions.get(controllerId);
    if (action != null) {
      String link = own + "/deploymentBase/" + action + "?c=-2127183556";
      offered.put("deploymentBase", Map.of("href", link));
    }
    offered.put("configData", Map.of("href", own + "/configData"));
    return MAPPER.writeValueAsString(
        Map.of("config", Map.of("polling", Map.of("sleep", "00:05:00")), "_links", offered));
  }

  /** The document of an action, and what a device says of it: closed is closed. */
  private void deployment(HttpExchange exchange, String[] path, String controllerId)
      throws IOException {
    boolean isCurrent = path[6].equals(actions.get(controllerId));
    if (exchange.getRequestMethod().equals("POST")) {
      String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      feedback.add(path[6] + ' ' + body);
      if (isCurrent && CLOSED.matcher(body).find()) {
        actions.remove(controllerId);
      }
      send(exchange, isCurrent ? 200 : 410, "", "");
    } else if (isCurrent) {
      send(
          exchange,
          200,
          "application/json",
          MAPPER.writeValueAsString(document(exchange, path[1], controllerId, path[6])));
    } else {
      send(exchange, 404, "application/json", "{\"errorCode\":\"planted\"}");
    }
  }

  private Map<String, Object> document(
      HttpExchange exchange, String tenant, String controllerId, String action) {
    List<Map<String, Object>> chunks = new ArrayList<>();
    for (String module : assigned.getOrDefault(controllerId, Set.of())) {
      Map<String, Object> chunk = new LinkedHashMap<>();
      chunk.put("part", "os");
      chunk.put("version", "1.0.79");
      chunk.put("name", "module " + module);
      chunk.put("artifacts", described(exchange, tenant, controllerId, module));
      chunks.add(chunk);
    }
    Map<String, Object> deployment = new LinkedHashMap<>();
    deployment.put("download", "forced");
    deployment.put("update", "forced");
    deployment.put("chunks", chunks);
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("id", action);
    document.put("deployment", deployment);
    return document;
  }

  private static String authority(HttpExchange exchange) {
    return Objects.requireNonNull(exchange.getRequestHeaders().getFirst("Host"));
  }

  private void download(HttpExchange exchange, byte @Nullable [] content) throws IOException {
    if (content == null) {
      send(exchange, 404, "", "");
      return;
    }
    String range = exchange.getRequestHeaders().getFirst("Range");
    int first = 0;
    int end = content.length;
    if (range != null) {
      String[] edges = range.substring("bytes=".length()).split("-", -1);
      first = Integer.parseInt(edges[0]);
      end = edges[1].isEmpty() ? end : Math.min(end, Integer.parseInt(edges[1]) + 1);
      exchange
          .getResponseHeaders()
          .set("Content-Range", "bytes %d-%d/%d".formatted(first, end - 1, content.length));
    }
    downloads.incrementAndGet();
    exchange.sendResponseHeaders(range == null ? 200 : 206, end - first);
    int cut = cutAfter.getAndSet(Integer.MAX_VALUE);
    int sent = Math.min(end - first, cut);
    artifactBytes.addAndGet(sent);
    OutputStream body = exchange.getResponseBody();
    body.write(content, first, sent);
    body.flush();
    if (cut < Integer.MAX_VALUE) {
      cuts.acquireUninterruptibly();
      throw new IOException("The connection is cut, as planned");
    }
    body.close();
  }

  /** The next download stops after so many bytes, until {@link #cut} ends its connection. */
  public void stopAfter(int bytes) {
    cutAfter.set(bytes);
  }

  /** Ends the connection of a download that stopped, or will. */
  public void cut() {
    cuts.release();
  }

  /** How many downloads were begun, ranges too. */
  public int downloads() {
    return downloads.get();
  }

  private List<Map<String, Object>> described(
      HttpExchange exchange, String tenant, String controllerId, String module) {
    Map<String, byte[]> files = new LinkedHashMap<>(modules.getOrDefault(module, Map.of()));
    files.replaceAll((name, plain) -> ciphertexts.getOrDefault(module + '/' + name, plain));
    return descriptions.of(authority(exchange), tenant, controllerId, module, files);
  }

  /** As hawkBit's filter: so many in the second that begins with the first. */
  private synchronized boolean isTooMany() {
    long now = System.nanoTime();
    if (now - windowStart > 1_000_000_000L) {
      windowStart = now;
      inWindow = 0;
    }
    return ++inWindow > maxPerSecond;
  }

  private static void send(HttpExchange exchange, int status, String type, String body)
      throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    if (!type.isEmpty()) {
      exchange.getResponseHeaders().set("Content-Type", type);
    }
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      try (OutputStream out = exchange.getResponseBody()) {
        out.write(bytes);
      }
    }
  }
}
