package io.artifactserver.rest.api.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.artifactserver.core.webhook.Delivery;
import io.artifactserver.core.webhook.Delivery.Answer;
import io.artifactserver.core.webhook.EventKind;
import io.artifactserver.core.webhook.Webhook;
import io.artifactserver.rest.api.outbound.CheckedClient;
import io.artifactserver.rest.api.outbound.PublicAddresses;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Messages on the wire, and receivers that answer all sorts of things. */
class SignedPostsTest {
  private static final byte[] SECRET =
      Base64.getDecoder().decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");

  private final Map<String, HttpHandler> handlers = new ConcurrentHashMap<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private HttpServer server;
  private WebhookProperties properties;
  private CheckedClient client;
  private SignedPosts posts;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          try (exchange) {
            Objects.requireNonNull(handlers.get(exchange.getRequestURI().getPath()))
                .handle(exchange);
          }
        });
    server.start();
    String here = "127.0.0.1:" + server.getAddress().getPort();
    properties =
        new WebhookProperties(
            List.of("localhost:" + server.getAddress().getPort()),
            List.of(here),
            Duration.ofSeconds(1),
            List.of(Duration.ofSeconds(1)),
            2,
            Duration.ofDays(1),
            1);
    client =
        new CheckedClient(
            "webhook-client",
            properties.allowed(),
            properties.timeout(),
            InetAddress::getAllByName,
            PublicAddresses::isPublic,
            null);
    posts =
        new SignedPosts(
            client, properties, JsonMapper.shared(), () -> Instant.ofEpochSecond(1614265330));
  }

  @AfterEach
  void stop() {
    over.countDown();
    client.close();
    server.stop(0);
    threads.close();
  }

  private Answer post(String path) {
    return post(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path));
  }

  private Answer post(URI url) {
    return posts.send(
        new Webhook(1, "boards", url, Set.of(EventKind.PING), true, Instant.EPOCH),
        new Delivery(
            1,
            1,
            new UUID(1, 2),
            17,
            EventKind.PUBLISHED,
            "{\"path\": \"a \u2713\"}",
            Instant.EPOCH,
            0,
            Instant.EPOCH,
            null),
        List.of(SECRET));
  }

  private void answers(String path, int status, byte[] body) {
    handlers.put(
        path,
        exchange -> {
          exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
        });
  }

  /** The example of the specification's reference implementations. */
  @Test
  void signsAsTheSpecificationDoes() {
    byte[] body = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);
    assertThat(
            SignedPosts.signatures(
                List.of(SECRET), "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body))
        .isEqualTo("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    assertThat(SignedPosts.signatures(List.of(SECRET, new byte[32]), "a", "1", body).split(" "))
        .hasSize(2)
        .allMatch(signature -> signature.startsWith("v1,"));
  }

  @Test
  void aMessageIsJsonWithThreeFields() throws Exception {
    CompletableFuture<String> received = new CompletableFuture<>();
    handlers.put(
        "/take",
        exchange -> {
          String body =
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
          received.complete(
              String.join(
                  "\n",
                  line(exchange, "webhook-id"),
                  line(exchange, "webhook-timestamp"),
                  line(exchange, "webhook-signature"),
                  line(exchange, "content-type"),
                  body));
          exchange.sendResponseHeaders(204, -1);
        });
    assertThat(post("/take")).isEqualTo(new Answer(204, ""));
    String body =
        "{\"type\":\"artifact.published\",\"timestamp\":\"1970-01-01T00:00:00Z\",\"number\":17,"
            + "\"data\":{\"path\":\"a \u2713\"}}";
    String id = "msg_" + new UUID(1, 2);
    String signature =
        SignedPosts.signatures(
            List.of(SECRET), id, "1614265330", body.getBytes(StandardCharsets.UTF_8));
    assertThat(received.get().lines())
        .containsExactly(id, "1614265330", signature, "application/json", body);
  }

  private static String line(HttpExchange exchange, String field) {
    return exchange.getRequestHeaders().getFirst(field);
  }

  @Test
  void aRefusalIsShownInPart() {
    answers(
        "/no", 500, ("no\r\n\u001b[31m<b>" + "x".repeat(100_000)).getBytes(StandardCharsets.UTF_8));
    Answer refused = post("/no");
    assertThat(refused.status()).isEqualTo(500);
    assertThat(refused.detail()).startsWith("no [31m<b>xxx").hasSizeLessThanOrEqualTo(200);
    answers("/gone", 410, new byte[0]);
    assertThat(post("/gone").isGone()).isTrue();
  }

  @Test
  void aRedirectIsNotFollowed() {
    handlers.put(
        "/away",
        exchange -> {
          exchange.getResponseHeaders().set("Location", "/take");
          exchange.sendResponseHeaders(307, -1);
        });
    assertThat(post("/away").status()).isEqualTo(307);
    assertThat(post("/away").isTaken()).isFalse();
  }

  @Test
  void aReceiverHasItsTime() {
    handlers.put("/hang", _ -> await());
    assertThat(post("/hang")).isEqualTo(new Answer(0, "nothing came in time"));
    handlers.put(
        "/drip",
        exchange -> {
          exchange.sendResponseHeaders(500, 0);
          exchange.getResponseBody().write('a');
          exchange.getResponseBody().flush();
          await();
        });
    assertThat(post("/drip").status()).isEqualTo(500);
  }

  private void await() {
    try {
      over.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The name is allowed, and not to have an address of this machine. */
  @Test
  void anAddressThatIsNotAllowedIsNotConnectedTo() {
    int port = server.getAddress().getPort();
    assertThat(post(URI.create("https://localhost:" + port + "/take")).detail())
        .contains("not public", "artifact-server.webhooks.private-hosts");
    assertThat(post(URI.create("http://localhost:" + port + "/take")).detail())
        .contains("artifact-server.webhooks.private-hosts");
    assertThat(post(URI.create("https://127.0.0.2:" + port + "/take")).detail())
        .contains("127.0.0.2 is not in artifact-server.webhooks.hosts");
  }

  @Test
  void aServerThatStopsDoesNotWait() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    handlers.put(
        "/hang",
        _ -> {
          asked.countDown();
          await();
        });
    CompletableFuture<Throwable> ended = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .start(() -> ended.complete(Assertions.catchThrowable(() -> post("/hang"))));
    asked.await();
    thread.interrupt();
    assertThat(ended.get()).isInstanceOf(CancellationException.class);
  }
}
