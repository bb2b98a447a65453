package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Eventually.eventuallyPasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.artifactserver.core.nightly.InTurn;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Webhooks of the packaged server, with receivers that answer, hang, are away, and attackers. */
@InTurn(6)
class WebhookIT {
  private static final List<Message> MESSAGES = new CopyOnWriteArrayList<>();
  private static final Map<String, AtomicInteger> REFUSALS = new ConcurrentHashMap<>();
  private static final CountDownLatch OVER = new CountDownLatch(1);
  private static final ExecutorService THREADS = Executors.newVirtualThreadPerTaskExecutor();

  @TempDir private static Path folder;
  private static HttpServer receiver;
  private static PackagedServer server;
  private static Operator admin;

  private final String repository = "r" + UUID.randomUUID();
  private final String api = "/api/v1/repositories/" + repository;
  private final String hooks = api + "/webhooks";

  /** A message as it came. */
  private record Message(String path, String id, String timestamp, String signature, String body) {
    JsonNode json() {
      return JsonMapper.shared().readTree(body);
    }

    String type() {
      return json().get("type").asString();
    }

    boolean isSignedBy(String secret) throws Exception {
      Mac mac = Mac.getInstance("HmacSHA256");
      mac.init(
          new SecretKeySpec(
              Base64.getDecoder().decode(secret.substring("whsec_".length())), "HmacSHA256"));
      byte[] signed = "%s.%s.%s".formatted(id, timestamp, body).getBytes(StandardCharsets.UTF_8);
      String good = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed));
      return List.of(signature.split(" ")).contains(good);
    }
  }

  @BeforeAll
  static void start() throws Exception {
    receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    receiver.setExecutor(THREADS);
    receiver.createContext("/", WebhookIT::receive);
    receiver.start();
    server = startServer();
    admin = new Operator(server);
  }

  private static void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      String path = exchange.getRequestURI().getPath();
      MESSAGES.add(
          new Message(
              path,
              exchange.getRequestHeaders().getFirst("webhook-id"),
              exchange.getRequestHeaders().getFirst("webhook-timestamp"),
              exchange.getRequestHeaders().getFirst("webhook-signature"),
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8)));
      if (path.endsWith("/hang")) {
        HttpsOrigin.await(OVER, 60_000);
      }
      AtomicInteger refusals = REFUSALS.computeIfAbsent(path, _ -> new AtomicInteger());
      int status = refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0 ? 500 : 204;
      exchange.sendResponseHeaders(status, -1);
    }
  }

  private static PackagedServer startServer() throws Exception {
    int port = receiver.getAddress().getPort();
    return PackagedServer.start(
        folder.resolve("data"),
        "--artifact-server.webhooks.hosts=localhost:" + port,
        "--artifact-server.webhooks.private-hosts=127.0.0.1:" + port,
        "--artifact-server.webhooks.retry-delays="
            + String.join(",", Collections.nCopies(100, "10ms")));
  }

  @AfterAll
  static void stop() {
    OVER.countDown();
    admin.close();
    server.close();
    receiver.stop(0);
    THREADS.close();
  }

  @BeforeEach
  void create() throws Exception {
    MESSAGES.clear();
    admin.createRepository(repository, true);
  }

  @AfterEach
  void delete() throws Exception {
    for (JsonNode webhook : json(admin.get(hooks)).get("webhooks")) {
      admin.delete(webhook.get("self").asString());
    }
  }

  /** Of this test alone: the messages of another one may still come. */
  private String url(String path) {
    return "http://127.0.0.1:%d/%s%s".formatted(receiver.getAddress().getPort(), repository, path);
  }

  /** So many messages are still refused. */
  private void refuse(String path, int messages) {
    REFUSALS.put('/' + repository + path, new AtomicInteger(messages));
  }

  private JsonNode webhook(String path) throws Exception {
    HttpResponse<String> made =
        admin.json("POST", hooks, "{\"url\": \"%s?token=hidden\"}".formatted(url(path)));
    assertThat(made.statusCode()).as(made.body()).isEqualTo(201);
    assertThat(made.headers().firstValue("Cache-Control")).contains("no-store");
    return json(made);
  }

  private static JsonNode json(HttpResponse<String> response) {
    return JsonMapper.shared().readTree(response.body());
  }

  private List<Message> of(String path) {
    return MESSAGES.stream()
        .filter(message -> message.path().equals('/' + repository + path))
        .toList();
  }

  private List<String> types(String path) {
    return of(path).stream().map(Message::type).toList();
  }

  /** One receiver hangs meanwhile, and the other one fails twice at first. */
  @Test
  void eachEventIsToldAndNobodyWaitsForOneThatHangs() throws Exception {
    JsonNode hanging = webhook("/hang");
    JsonNode good = webhook("/good");
    String secret = good.get("secret").asString();
    refuse("/good", 2);
    byte[] bytes = Bytes.random(50_000, 1);
    admin.put(repository, "1.0/fw", bytes);
    eventually("it is told at last", () -> types("/good").size() == 3);
    assertThat(of("/good")).extracting(Message::id).containsOnly(of("/good").getFirst().id());
    MESSAGES.clear();
    admin.put(repository, "1.1/fw", Bytes.random(50_000, 2));
    admin.put(repository, "1.1/gone", bytes);
    admin.delete(api + "/artifacts/" + "1.1/gone");
    admin.json("PUT", api + "/channels/stable", "{\"release\": \"1.0\"}");
    admin.json(
        "PUT",
        api + "/channels/stable",
        "{\"release\": \"1.1\", \"percentage\": 10}",
        "If-Match",
        "*");
    download("1.0/fw");
    download("1.0/fw");
    eventuallyPasses(
        "all are told",
        () ->
            assertThat(types("/good"))
                .containsExactlyInAnyOrder(
                    "artifact.published",
                    "artifact.published",
                    "artifact.deleted",
                    "channel.released",
                    "channel.stage-reached",
                    "artifact.completed"));
    for (Message message : of("/good")) {
      assertThat(message.isSignedBy(secret)).isTrue();
      assertThat(message.json().get("data").get("repository").asString()).isEqualTo(repository);
      switch (message.type()) {
        case "channel.stage-reached" ->
            assertThat(message.json().get("data").toString())
                .contains("\"release\":\"1.1\"", "\"before\":\"1.0\"", "\"percentage\":10");
        case "artifact.completed" ->
            assertThat(message.json().get("data").toString())
                .contains("\"device\":\"board-7\"", "\"paths\":[\"1.0/fw\"]");
        default -> {}
      }
    }
    String log = good.get("self").asString() + "/deliveries";
    eventuallyPasses(
        "the log says so", () -> assertThat(states(log)).hasSize(7).containsOnly("delivered"));
    JsonNode first = json(admin.get(log)).get("deliveries").get(6);
    assertThat(first.get("attempts").asInt()).isEqualTo(3);
    assertThat(states(hanging.get("self").asString() + "/deliveries"))
        .hasSize(7)
        .containsOnly("waiting");
    redeliver(good, first);
  }

  private static List<String> states(String log) throws Exception {
    List<String> states = new ArrayList<>();
    json(admin.get(log))
        .get("deliveries")
        .forEach(delivery -> states.add(delivery.get("state").asString()));
    return states;
  }

  private void redeliver(JsonNode webhook, JsonNode delivery) throws Exception {
    MESSAGES.clear();
    String self = webhook.get("self").asString();
    String again = self + "/deliveries/%d/redeliver";
    HttpResponse<String> repeated =
        admin.json("POST", again.formatted(delivery.get("id").asLong()), "");
    assertThat(repeated.statusCode()).as(repeated.body()).isEqualTo(202);
    eventually("it comes again", () -> !of("/good").isEmpty());
    assertThat(of("/good").getFirst().id()).isEqualTo(delivery.get("message").asString());
    assertThat(admin.json("POST", again.formatted(0), "").statusCode()).isEqualTo(404);
    assertThat(admin.get(self + "/deliveries?limit=0").statusCode()).isEqualTo(400);
  }

  private void download(String path) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      var _ =
          client.send(
              HttpRequest.newBuilder(server.uri("/artifacts/%s/%s".formatted(repository, path)))
                  .header("RAUC-Serial", "board-7")
                  .build(),
              BodyHandlers.discarding());
    }
  }

  /** The receiver is away, the server is killed, and both come back. */
  @Test
  void whatAServerThatIsKilledHasNotToldTheNextOneTells() throws Exception {
    JsonNode webhook = webhook("/good");
    String secret = webhook.get("secret").asString();
    refuse("/good", Integer.MAX_VALUE);
    for (String path : List.of("a", "b", "c")) {
      admin.put(repository, path, Bytes.random(100, path.hashCode()));
    }
    server.kill();
    server.close();
    admin.close();
    MESSAGES.clear();
    refuse("/good", 0);
    server = startServer();
    admin = new Operator(server);
    eventuallyPasses(
        "all of them come",
        () ->
            assertThat(of("/good"))
                .extracting(message -> message.json().get("data").get("path").asString())
                .contains("a", "b", "c"));
    HttpResponse<String> rotated =
        admin.json("POST", webhook.get("self").asString() + "/secret", "");
    assertThat(rotated.statusCode()).isEqualTo(200);
    String other = json(rotated).get("secret").asString();
    assertThat(other).isNotEqualTo(secret);
    MESSAGES.clear();
    assertThat(admin.json("POST", webhook.get("self").asString() + "/ping", "").statusCode())
        .isEqualTo(202);
    eventually("the ping comes", () -> types("/good").contains("ping"));
    Message ping =
        of("/good").stream().filter(each -> each.type().equals("ping")).findFirst().orElseThrow();
    assertThat(ping.isSignedBy(secret)).isTrue();
    assertThat(ping.isSignedBy(other)).isTrue();
    String everything =
        admin.get("/api/v1/audit").body()
            + admin.get(hooks).body()
            + admin.get(webhook.get("self").asString()).body()
            + admin.get(webhook.get("self").asString() + "/deliveries").body()
            + server.log();
    assertThat(everything)
        .contains("artifact.published")
        .doesNotContain("token=hidden", secret, other, "whsec_");
  }

  @Test
  void nobodyElseHasToDoWithWebhooks() throws Exception {
    JsonNode webhook = webhook("/good");
    String self = webhook.get("self").asString();
    admin.put(repository, "a", Bytes.random(100, 1));
    String delivery = self + "/deliveries/%d/redeliver";
    eventually("it is told", () -> !of("/good").isEmpty());
    MESSAGES.clear();
    String body = "{\"url\": \"%s\"}".formatted(url("/stolen"));
    for (String role : List.of("nobody", "stranger", "device", "reader", "publisher")) {
      String token =
          switch (role) {
            case "nobody" -> "";
            case "stranger" -> "x".repeat(43);
            default -> admin.token(role, repository, "");
          };
      int refused = role.equals("nobody") || role.equals("stranger") ? 401 : 403;
      for (String request :
          List.of(
              "GET " + hooks,
              "POST " + hooks,
              "GET " + self,
              "PATCH " + self,
              "DELETE " + self,
              "POST " + self + "/secret",
              "POST " + self + "/ping",
              "GET " + self + "/deliveries",
              "POST " + delivery.formatted(1))) {
        String[] words = request.split(" ");
        String sent = words[0].equals("POST") || words[0].equals("PATCH") ? body : "";
        HttpResponse<String> answer = admin.as(token, words[0], words[1], sent);
        assertThat(answer.statusCode()).as("%s %s", role, request).isEqualTo(refused);
        assertThat(answer.body()).doesNotContain("127.0.0.1");
      }
    }
    assertThat(json(admin.get(self)).get("url").asString()).isEqualTo(url("/good"));
    assertThat(List.of(of("/good"), of("/stolen"))).containsOnly(List.of());
    aWebhookIsRefused();
  }

  /** Addresses that only the server reaches, and whatever is no webhook. */
  private void aWebhookIsRefused() throws Exception {
    int port = receiver.getAddress().getPort();
    for (String body :
        List.of(
            "{}",
            "{\"url\": \"a b\"}",
            "{\"url\": \"file:///etc/passwd\"}",
            "{\"url\": \"http://localhost:%d/\"}".formatted(port),
            "{\"url\": \"http://me:secret@127.0.0.1:%d/\"}".formatted(port),
            "{\"url\": \"http://169.254.169.254/latest\"}",
            "{\"url\": \"%s\", \"events\": []}".formatted(url("/x")),
            "{\"url\": \"%s\", \"events\": [\"ping\"]}".formatted(url("/x")),
            "{\"url\": \"%s\", \"events\": [null]}".formatted(url("/x")))) {
      assertRefused(400, admin.json("POST", hooks, body));
    }
    assertRefused(403, admin.json("POST", hooks, "{\"url\": \"https://169.254.169.254/latest\"}"));
    assertRefused(
        404,
        admin.json("POST", "/api/v1/repositories/absent/webhooks", "{\"url\": \"https://a\"}"));
    assertRefused(404, admin.json("PATCH", hooks + "/0", "{}"));
    // The name is allowed, and its address is not.
    JsonNode internal =
        json(
            admin.json(
                "POST", hooks, "{\"url\": \"https://localhost:%d/internal\"}".formatted(port)));
    admin.json("POST", internal.get("self").asString() + "/ping", "");
    eventuallyPasses(
        "it is not connected to",
        () ->
            assertThat(admin.get(internal.get("self").asString() + "/deliveries").body())
                .contains("not public"));
    assertThat(of("/internal")).isEmpty();
    for (int i = 2; i < 10; i++) {
      assertThat(webhook("/many").get("enabled").asBoolean()).isTrue();
    }
    assertRefused(409, admin.json("POST", hooks, "{\"url\": \"%s\"}".formatted(url("/x"))));
    String self = internal.get("self").asString();
    assertThat(json(admin.json("PATCH", self, "{\"enabled\": false}")).get("enabled").asBoolean())
        .isFalse();
    assertRefused(409, admin.json("POST", self + "/ping", ""));
    assertThat(admin.delete(self).statusCode()).isEqualTo(204);
    assertRefused(404, admin.get(self));
  }

  private static void assertRefused(int status, HttpResponse<String> response) {
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    assertThat(response.headers().firstValue("Content-Type")).contains("application/problem+json");
  }
}
