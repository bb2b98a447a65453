package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.provider.EnumSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Downloads that wait for their turn: the end of the queue, and who has a place in it. Clients of
 * both versions of HTTP wait in it together.
 */
@EnumSource(names = {"HTTP1", "TLS13"})
class QueueIT extends EachTransport {
  private static final byte[] CONTENT = Bytes.random(100_000, 24);
  private static final int PLACES = 20;
  private static final int OF_ONE_CLIENT = 5;
  private static final Pattern KEY = Pattern.compile("as-key=([A-Za-z0-9_-]+)");
  private static final Pattern WAITING =
      Pattern.compile("(?m)^artifact_server_downloads_waiting(?:\\{.*})? ([0-9.]+)$");

  private final List<HttpClient> clients = new ArrayList<>();
  private Endpoints endpoints;
  private Operator operator;

  @BeforeAll
  void start(@TempDir Path folder) {
    endpoints =
        new Endpoints(
            folder,
            _ -> {},
            "--artifact-server.download.revocation-check=1s",
            "--artifact-server.limit.max-waiting=" + PLACES,
            "--artifact-server.limit.max-waiting-of-one-client=" + OF_ONE_CLIENT,
            // A quarter of it is how often the server looks who has left.
            "--artifact-server.connections.request-timeout=2s");
  }

  @Override
  Endpoints endpoints(Endpoints shared) {
    return endpoints;
  }

  @BeforeParameterizedClassInvocation
  void connect() throws Exception {
    operator = server.operator();
  }

  @AfterParameterizedClassInvocation
  void disconnectOperator() {
    operator.close();
  }

  @AfterEach
  void disconnect() {
    // What still waits would make a close wait.
    clients.forEach(HttpClient::shutdownNow);
  }

  @AfterAll
  void stop() {
    endpoints.close();
  }

  @Test
  void aFullQueueSaysWhenToComeAgain() throws Exception {
    try (Wire running = occupy("full")) {
      List<CompletableFuture<HttpResponse<byte[]>>> asking = new ArrayList<>();
      for (int client = 1; client <= 10; client++) {
        HttpClient http = client("127.0.1." + client, HttpClient.Version.HTTP_2);
        for (int i = 0; i < OF_ONE_CLIENT; i++) {
          asking.add(http.sendAsync(request("full"), BodyHandlers.ofByteArray()));
        }
      }
      int refused = asking.size() - PLACES;
      eventually("the others are refused", () -> done(asking) == refused);
      assertThat(waiting()).isEqualTo(PLACES);
      List<String> times = new ArrayList<>();
      for (CompletableFuture<HttpResponse<byte[]>> each : asking) {
        if (each.isDone()) {
          assertThat(each.get().statusCode()).isEqualTo(503);
          assertThat(new String(each.get().body(), StandardCharsets.UTF_8))
              .contains("Too many downloads");
          times.add(each.get().headers().firstValue("Retry-After").orElseThrow());
        }
      }
      assertThat(times).allMatch(time -> time.matches("[1-9]|10"));
      // They do not all come again at the same time.
      assertThat(times.stream().distinct().count()).isGreaterThan(1);
      release("full");
      for (CompletableFuture<HttpResponse<byte[]>> each : asking) {
        if (each.get().statusCode() != 503) {
          assertThat(each.get().body()).isEqualTo(CONTENT);
        }
      }
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void oneClientDoesNotTakeAllPlaces() throws Exception {
    HttpClient many = client("127.0.2.1", HttpClient.Version.HTTP_2);
    HttpClient other = client("127.0.2.2", HttpClient.Version.HTTP_1_1);
    try (Wire running = occupy("shared")) {
      // The connection speaks HTTP/2 from now on.
      HttpRequest head = HttpRequest.newBuilder(request("shared"), (_, _) -> true).HEAD().build();
      assertThat(many.send(head, BodyHandlers.discarding()).version())
          .isEqualTo(HttpClient.Version.HTTP_2);
      List<CompletableFuture<HttpResponse<byte[]>>> asking = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        asking.add(many.sendAsync(request("shared"), BodyHandlers.ofByteArray()));
      }
      eventually("it has its places", () -> done(asking) == 50 - OF_ONE_CLIENT);
      assertThat(waiting()).isEqualTo(OF_ONE_CLIENT);
      // An unknown token makes nobody another client.
      HttpRequest disguised =
          HttpRequest.newBuilder(request("shared"), (_, _) -> true)
              .header("Authorization", "Bearer as_0123456789abcdef_" + "0".repeat(64))
              .build();
      assertThat(many.send(disguised, BodyHandlers.discarding()).statusCode()).isEqualTo(503);
      CompletableFuture<HttpResponse<byte[]>> beside =
          other.sendAsync(request("shared"), BodyHandlers.ofByteArray());
      eventually("another has a place", () -> waiting() == OF_ONE_CLIENT + 1);
      release("shared");
      assertThat(beside.get().body()).isEqualTo(CONTENT);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void whoLeavesGivesItsPlaceUp() throws Exception {
    try (Wire running = occupy("left");
        Wire staying = open()) {
      staying.send(get("left"));
      List<Wire> leaving = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        leaving.add(open());
        leaving.getLast().send(get("left"));
      }
      eventually("all wait", () -> waiting() == 4);
      leaving.get(0).close();
      // As a device that loses power.
      leaving.get(1).reset();
      leaving.get(2).close();
      // The one that runs goes on: nobody's turn came.
      eventually("one waits", () -> waiting() == 1);
      release("left");
      assertThat(staying.receive(true).body()).isEqualTo(CONTENT);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  /** It is let in when it is its turn, not when it asks. */
  @Test
  void whoseTokenIsTakenAwayWhileItWaitsGetsNothing() throws Exception {
    JsonNode token = deviceToken();
    try (Wire running = occupy("taken", false);
        Wire waiting = open()) {
      waiting.send(get("taken", token.get("token").asString()));
      eventually("it waits", () -> waiting() == 1);
      revoke(token);
      release("taken");
      assertThat(waiting.receive(true).status()).isEqualTo(401);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  /** A 401 would ask for a token, which the holder of a link does not have. */
  @Test
  void whoseLinkIsRevokedWhileItWaitsIsToldSo() throws Exception {
    try (Wire running = occupy("ended", false);
        Wire waiting = open()) {
      String link = link("ended");
      waiting.send(getLinked("ended", link));
      eventually("it waits", () -> waiting() == 1);
      revokeLink(link);
      release("ended");
      Wire.Response refused = waiting.receive(true);
      assertThat(refused.status()).isEqualTo(403);
      assertThat(refused.field("WWW-Authenticate")).isEmpty();
      assertThat(refused.text()).contains("its key is revoked");
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void downloadEndsWhenItsTokenIsTakenAway() throws Exception {
    JsonNode token = deviceToken();
    operator.createRepository("revoked", false);
    operator.put("revoked", "image", CONTENT);
    limit("revoked", "{\"bytesPerSecond\": 10000}");
    try (Wire running = open()) {
      running.send(get("revoked", token.get("token").asString()));
      eventually("it is let in", running::isAnswered);
      revoke(token);
      assertThat(running.receive(false).status()).isEqualTo(200);
      assertThat(running.rest()).hasSizeLessThan(CONTENT.length);
    }
  }

  /** It needs no token. */
  @Test
  void publicDownloadGoesOnWhenItsTokenIsTakenAway() throws Exception {
    JsonNode token = deviceToken();
    operator.createRepository("open", true);
    operator.put("open", "image", CONTENT);
    limit("open", "{\"bytesPerSecond\": 25000}");
    try (Wire running = open()) {
      running.send(get("open", token.get("token").asString()));
      eventually("it is let in", running::isAnswered);
      revoke(token);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  @Test
  void downloadEndsWhenTheKeyOfItsLinkIsDeleted() throws Exception {
    operator.createRepository("linked", false);
    operator.put("linked", "image", CONTENT);
    limit("linked", "{\"bytesPerSecond\": 10000}");
    String link = link("linked");
    try (Wire running = open()) {
      running.send(getLinked("linked", link));
      eventually("it is let in", running::isAnswered);
      revokeLink(link);
      assertThat(running.receive(false).status()).isEqualTo(200);
      assertThat(running.rest()).hasSizeLessThan(CONTENT.length);
    }
  }

  private String link(String repository) throws IOException, InterruptedException {
    return JsonMapper.shared()
        .readTree(
            operator
                .json(
                    "POST",
                    "/api/v1/links",
                    "{\"repository\": \"%s\", \"path\": \"image\", \"expires\": \"1h\"}"
                        .formatted(repository))
                .body())
        .get("url")
        .asString();
  }

  private void revokeLink(String link) throws IOException, InterruptedException {
    Matcher key = KEY.matcher(link);
    assertThat(key.find()).as(link).isTrue();
    operator.json("POST", "/api/v1/links/keys", "");
    assertThat(operator.delete("/api/v1/links/keys/" + key.group(1)).statusCode()).isEqualTo(204);
  }

  private static String getLinked(String repository, String link) {
    String query = link.substring(link.indexOf('?'));
    return get(repository).replace("/image ", "/image" + query + ' ');
  }

  private JsonNode deviceToken() throws IOException, InterruptedException {
    return JsonMapper.shared()
        .readTree(
            operator
                .json("POST", "/api/v1/tokens", "{\"name\": \"waiting\", \"role\": \"device\"}")
                .body());
  }

  private void revoke(JsonNode token) throws IOException, InterruptedException {
    assertThat(operator.delete("/api/v1/tokens/" + token.get("id").asString()).statusCode())
        .isEqualTo(204);
  }

  private static String get(String repository, String token) {
    return get(repository).replace("Host: a", "Host: a\r\nAuthorization: Bearer " + token);
  }

  @Test
  void artifactThatIsDeletedWhileItWaitsIsGone() throws Exception {
    try (Wire running = occupy("deleted");
        Wire waiting = open()) {
      waiting.send(get("deleted"));
      eventually("it waits", () -> waiting() == 1);
      assertThat(operator.delete("/api/v1/repositories/deleted/artifacts/image").statusCode())
          .isEqualTo(204);
      release("deleted");
      assertThat(waiting.receive(true).status()).isEqualTo(410);
      assertThat(running.receive(true).body()).isEqualTo(CONTENT);
    }
  }

  /**
   * A connection that answers by itself asks no handler, but there is a turn for it or there is
   * not.
   */
  @Test
  void aRepeatedRequestWaitsForItsTurn() throws Exception {
    byte[] large = Bytes.random(64_000_000, 1);
    operator.createRepository("repeated", true);
    operator.put("repeated", "image", large);
    limit("repeated", "{\"concurrentDownloads\": 1}");
    try (Wire repeating = open();
        Wire holding = open()) {
      for (int i = 0; i < 10; i++) {
        repeating.send(get("repeated", i));
        assertThat(repeating.receive(true).body()).isEqualTo(Arrays.copyOfRange(large, i, i + 10));
      }
      // Over TLS no request is answered without a handler.
      assertThat(repeated() > 0).isEqualTo(!transport.isSecured());
      // Its bytes are held back, so it keeps its turn.
      limit("repeated", "{\"bytesPerSecond\": 10, \"concurrentDownloads\": 1}");
      holding.send(get("repeated"));
      eventually("it is its turn", holding::isAnswered);
      repeating.send(get("repeated", 5_000));
      eventually("the other waits", () -> waiting() == 1);
      limit("repeated", "{\"concurrentDownloads\": 1}");
      holding.reset();
      assertThat(repeating.receive(true).body()).isEqualTo(Arrays.copyOfRange(large, 5_000, 5_010));
    }
    // All turns were given back.
    try (Wire next = open()) {
      next.send(get("repeated", 7));
      assertThat(next.receive(true).status()).isEqualTo(206);
    }
  }

  /** They keep their connections, and get every byte when they read on. */
  @Test
  void readersThatSipLeaveTheirPlacesToOthers() throws Exception {
    byte[] large = Bytes.random(20_000_000, 3);
    operator.createRepository("sipped", true);
    operator.put("sipped", "image", large);
    limit("sipped", "{\"concurrentDownloads\": 3}");
    List<Wire> sipping = new ArrayList<>();
    try {
      for (int i = 0; i < OF_ONE_CLIENT; i++) {
        Wire wire = open();
        sipping.add(wire);
        wire.send(get("sipped"));
      }
      HttpClient other = client("127.0.4.1", HttpClient.Version.HTTP_1_1);
      assertThat(other.send(request("sipped"), BodyHandlers.ofByteArray()).body()).isEqualTo(large);
      for (Wire wire : sipping) {
        assertThat(wire.receive(true).body()).isEqualTo(large);
      }
    } finally {
      for (Wire wire : sipping) {
        wire.close();
      }
    }
  }

  private static String get(String repository, int position) {
    return get(repository)
        .replace("Host: a", "Host: a\r\nRange: bytes=%d-%d".formatted(position, position + 9));
  }

  private double repeated() throws IOException, InterruptedException {
    return operator
        .get("/actuator/prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith("artifact_server_requests_repeated_total "))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(' '))))
        .sum();
  }

  /** Makes a repository, and takes the one turn in it. */
  private Wire occupy(String repository) throws IOException, InterruptedException {
    return occupy(repository, true);
  }

  private Wire occupy(String repository, boolean isPublic)
      throws IOException, InterruptedException {
    operator.createRepository(repository, isPublic);
    operator.put(repository, "image", CONTENT);
    String limits = "{\"bytesPerSecond\": 10, \"concurrentDownloads\": 1}";
    limit(repository, limits);
    Wire running = open();
    running.send(get(repository, server.operatorToken()));
    eventually("it is its turn", running::isAnswered);
    return running;
  }

  private void limit(String repository, String limits) throws IOException, InterruptedException {
    operator.json("PUT", "/api/v1/repositories/" + repository + "/limits", limits);
  }

  private void release(String repository) throws IOException, InterruptedException {
    limit(repository, "{}");
  }

  private long waiting() throws IOException, InterruptedException {
    String metrics = operator.get("/actuator/prometheus").body();
    Matcher waiting = WAITING.matcher(metrics);
    assertThat(waiting.find()).as(metrics).isTrue();
    return (long) Double.parseDouble(waiting.group(1));
  }

  private static long done(List<? extends CompletableFuture<?>> futures) {
    return futures.stream().filter(CompletableFuture::isDone).count();
  }

  private static String get(String repository) {
    return "GET /artifacts/" + repository + "/image HTTP/1.1\r\nHost: a\r\n\r\n";
  }

  private HttpRequest request(String repository) {
    return HttpRequest.newBuilder(server.uri("/artifacts/" + repository + "/image")).build();
  }

  private HttpClient client(String address, HttpClient.Version version)
      throws IOException, InterruptedException {
    Transport other =
        transport.ofOneServer().stream()
            .filter(each -> each.isHttp2() == (version == HttpClient.Version.HTTP_2))
            .findFirst()
            .orElseThrow();
    HttpClient client =
        server
            .by(other)
            .httpClient(HttpClient.newBuilder().localAddress(InetAddress.getByName(address)));
    clients.add(client);
    return client;
  }
}
