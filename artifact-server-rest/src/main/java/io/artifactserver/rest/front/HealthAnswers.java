package io.artifactserver.rest.front;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.eclipse.jetty.http.HttpHeader;
import org.springframework.boot.actuate.endpoint.ApiVersion;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.health.actuate.endpoint.HealthDescriptor;
import tools.jackson.databind.json.JsonMapper;

/**
 * How the server is, for those who ask without a token. It is found out at most once a second,
 * however many ask, and nobody who waits for it holds a thread: orchestrators restart a server
 * whose health they do not get. Thread-safe.
 */
final class HealthAnswers {
  private static final long MAX_AGE_NANOS = 1_000_000_000;
  private static final String ROOT = "/actuator/health";

  private static final Set<String> PATHS = Set.of(ROOT, ROOT + "/liveness", ROOT + "/readiness");

  private final Map<String, Asked> asked = new ConcurrentHashMap<>();
  private final Function<String[], WebEndpointResponse<HealthDescriptor>> health;
  private final JsonMapper mapper;
  private final Executor executor;
  private final LongSupplier nanoTime;

  /** The answer for everybody: status and body. */
  @SuppressWarnings("ArrayRecordComponent") // nobody compares it
  record Answer(int status, byte[] json) {
    void write(Exchange exchange) {
      exchange.response().setStatus(status);
      exchange
          .response()
          .getHeaders()
          .put(HttpHeader.CONTENT_TYPE, ApiVersion.V3.getProducedMimeType().toString())
          .put(HttpHeader.CONTENT_LENGTH, json.length)
          .put(HttpHeader.CACHE_CONTROL, "no-store")
          .put("X-Content-Type-Options", "nosniff");
      exchange.end(json);
    }
  }

  private record Asked(long atNanos, CompletableFuture<Answer> answer) {}

  /**
   * @param health Spring Boot's endpoint, asked for a path below its own; may block
   * @param executor with a thread for each of the three paths
   * @param nanoTime as {@link System#nanoTime}
   */
  HealthAnswers(
      Function<String[], WebEndpointResponse<HealthDescriptor>> health,
      JsonMapper mapper,
      Executor executor,
      LongSupplier nanoTime) {
    this.health = health;
    this.mapper = mapper;
    this.executor = executor;
    this.nanoTime = nanoTime;
  }

  static boolean knows(String path) {
    return PATHS.contains(path);
  }

  /** Does not block. */
  CompletableFuture<Answer> ask(String path) {
    long now = nanoTime.getAsLong();
    return asked.compute(
            path,
            (key, last) ->
                last == null || (last.answer.isDone() && now - last.atNanos > MAX_AGE_NANOS)
                    ? new Asked(now, CompletableFuture.supplyAsync(() -> find(key), executor))
                    : last)
        .answer;
  }

  private Answer find(String path) {
    String[] below =
        path.equals(ROOT) ? new String[0] : new String[] {path.substring(ROOT.length() + 1)};
    WebEndpointResponse<HealthDescriptor> found = health.apply(below);
    return new Answer(found.getStatus(), mapper.writeValueAsBytes(found.getBody()));
  }
}
