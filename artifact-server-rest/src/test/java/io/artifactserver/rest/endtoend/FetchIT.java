package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.nightly.InTurn;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Uploads by reference, and callers of every role who try to make the server fetch for them. */
@InTurn(5)
class FetchIT {
  private static final String FETCHES = "/api/v1/fetches";
  private static final String PRIVATE = "127.0.0.1";

  @TempDir private static Path folder;
  private static HttpsOrigin origin;
  private static PackagedServer server;

  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final byte[] content = Bytes.random(3_000_000, 70);
  private final CountDownLatch over = new CountDownLatch(1);
  private Operator admin;

  @BeforeAll
  static void start() throws Exception {
    TestAuthority authority = new TestAuthority(folder, "authority");
    authority.issue("origin", "CN=origin", "san=dns:localhost,ip:127.0.0.1");
    SSLContext identity = authority.client("origin");
    origin = new HttpsOrigin(identity, InetAddress.getLoopbackAddress(), 0);
    server =
        PackagedServer.start(
            folder.resolve("data"),
            "-Djavax.net.ssl.trustStore=" + folder.resolve("authority.p12"),
            "-Djavax.net.ssl.trustStorePassword=" + TestAuthority.PASSWORD,
            // Both are the same server; the name is not allowed to be a private address.
            "--artifact-server.fetch.hosts=localhost:" + origin.port(),
            "--artifact-server.fetch.private-hosts=" + PRIVATE + ':' + origin.port(),
            "--artifact-server.fetch.stall-timeout=20s",
            "--artifact-server.upload.max-artifact-size=10MB");
    try (Operator operator = new Operator(server)) {
      operator.createRepository("public", true);
      operator.createRepository("secret", false);
      operator.createEncryptedRepository("encrypted");
    }
  }

  @AfterAll
  static void stop() {
    server.close();
    origin.close();
  }

  @BeforeEach
  void connect() {
    admin = new Operator(server);
  }

  @AfterEach
  void disconnect() {
    over.countDown();
    admin.close();
    client.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"public", "encrypted"})
  void aFileBecomesAnArtifact(String repository) throws Exception {
    AtomicInteger answers = new AtomicInteger();
    String path = "/cut-" + repository;
    origin.file(path, content, "\"v1\"", () -> answers.incrementAndGet() * 500_000);
    String secretly = path + "?signature=hidden";
    HttpResponse<String> begun =
        begin(server.operatorToken(), repository, "dir/a.img", secretly, content);
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
    String location = begun.headers().firstValue("Location").orElseThrow();
    JsonNode status = over(location);
    assertThat(status.get("state").asString()).as(status.toString()).isEqualTo("complete");
    assertThat(status.get("received").asLong()).isEqualTo(content.length);
    assertThat(status.get("length").asLong()).isEqualTo(content.length);
    assertThat(status.get("mediaType").asString()).isEqualTo("application/vnd.efi.img");
    assertThat(admin.download("/artifacts/" + repository + "/dir/a.img").body()).isEqualTo(content);
    List<String> ofPath =
        origin.asked().stream()
            .filter(each -> each.path().equals(secretly))
            .map(HttpsOrigin.Asked::fields)
            .toList();
    assertThat(ofPath).hasSizeGreaterThan(2);
    assertThat(ofPath.getFirst()).doesNotContain("range");
    assertThat(ofPath.getLast()).contains("range=[bytes=", "if-range=[\"v1\"]");
    assertThat(ofPath).noneMatch(fields -> fields.contains("authorization"));
    String audit = admin.get("/api/v1/audit").body();
    assertThat(audit.lines().filter(line -> line.contains(location))).hasSize(1);
    assertThat(audit.lines().filter(line -> line.contains(idOf(location)))).hasSize(2);
    assertThat(audit + begun.body() + status + server.log()).doesNotContain("signature=hidden");
    // The same again: the artifact is there.
    assertThat(fetch(repository, "dir/a.img", path, content).get("state").asString())
        .isEqualTo("complete");
    assertThat(admin.delete(location).statusCode()).isEqualTo(204);
    assertThat(admin.get(location).statusCode()).isEqualTo(404);
  }

  @Test
  void otherBytesAreNotKept() throws Exception {
    origin.file("/other", content, "\"v1\"", HttpsOrigin::never);
    JsonNode status = fetch("public", "wrong.img", "/other", Bytes.random(10, 1));
    assertThat(status.get("state").asString()).isEqualTo("failed");
    assertThat(status.get("failure").get("title").asString()).isEqualTo("Digest mismatch");
    assertThat(admin.get("/api/v1/repositories/public/artifacts/wrong.img").statusCode())
        .isEqualTo(404);
    assertNothingIsLeft();
  }

  @Test
  void aFileIsBounded() throws Exception {
    origin.answer(
        "/large",
        exchange -> {
          exchange.sendResponseHeaders(200, 11 << 20);
          exchange.getResponseBody().flush();
          HttpsOrigin.await(over, 60_000);
        });
    JsonNode large = fetch("public", "large.img", "/large", content);
    assertThat(large.get("failure").get("title").asString()).isEqualTo("Artifact too large");
    assertThat(large.get("received").asLong()).isZero();
    origin.answer(
        "/endless",
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          while (true) {
            exchange.getResponseBody().write(content);
          }
        });
    JsonNode endless = fetch("public", "endless.img", "/endless", content);
    assertThat(endless.get("failure").get("title").asString()).isEqualTo("Artifact too large");
    admin.createRepository("small", true);
    admin.json("PUT", "/api/v1/repositories/small/quota", "{\"bytes\": 1000, \"artifacts\": 10}");
    origin.file("/fits-not", content, "\"v1\"", HttpsOrigin::never);
    JsonNode full = fetch("small", "a.img", "/fits-not", content);
    assertThat(full.get("failure").get("title").asString()).isEqualTo("Quota exceeded");
    assertThat(full.get("failure").get("status").asInt()).isEqualTo(507);
    assertThat(admin.get("/api/v1/repositories/small/quota").body())
        .contains("\"reserved\":{\"bytes\":0,\"artifacts\":0}");
    assertNothingIsLeft();
  }

  /** The server is asked for what only it can reach. */
  @Test
  void anAddressThatIsNotPublicIsNotConnectedTo() throws Exception {
    origin.file("/internal", content, "\"v1\"", HttpsOrigin::never);
    HttpResponse<String> begun =
        begin(
            server.operatorToken(),
            "public",
            "internal.img",
            origin.uri("localhost", "/internal"),
            content);
    JsonNode status = over(begun.headers().firstValue("Location").orElseThrow());
    assertThat(status.get("state").asString()).isEqualTo("failed");
    assertThat(status.get("failure").get("detail").asString())
        .contains("which is not public", "artifact-server.fetch.private-hosts");
    assertThat(asked("/internal")).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://localhost:%d/internal2",
        "http://127.0.0.1:%d/internal2",
        "https://127.0.0.1:1/internal2",
        "https://169.254.169.254/latest/meta-data?%d",
        "https://me:secret@127.0.0.1:%d/internal2",
      })
  void aRedirectLeadsNowhereElse(String target) throws Exception {
    String path = "/away/" + target.hashCode();
    origin.redirect(path, target.formatted(origin.port()));
    origin.file("/internal2", content, "\"v1\"", HttpsOrigin::never);
    JsonNode status = fetch("public", "internal2.img", path, content);
    assertThat(status.get("state").asString()).as(status.toString()).isEqualTo("failed");
    assertThat(asked("/internal2")).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "https://elsewhere.example/a | 403 | artifact-server.fetch.hosts",
        "http://127.0.0.1/a | 400 | must be an https address",
        "file:///etc/passwd | 400 | must be an https address",
        "https://127.0.0.1.evil.example/a | 403 | artifact-server.fetch.hosts",
        "a b | 400 | is no address",
      })
  void anAddressThatIsNotAllowedIsRefused(String url, int status, String reason) throws Exception {
    HttpResponse<String> refused =
        post(server.operatorToken(), json("public", "refused.img", url, sha256(content)));
    assertThat(refused.statusCode()).as(refused.body()).isEqualTo(status);
    assertThat(refused.body()).contains(reason);
    assertThat(post(server.operatorToken(), json("public", "a", "https://a", "12")).body())
        .contains("64 hexadecimal digits");
  }

  /** None of them begins a fetch, or learns of one, or ends it. */
  @ParameterizedTest
  @CsvSource({
    "nobody, '', 401",
    "stranger, '', 401",
    "device, '', 403",
    "reader, '', 403",
    "publisher, secret, 403",
  })
  void nobodyElseFetches(String role, String repository, int status) throws Exception {
    String path = "/attack-" + role;
    origin.answer(
        path,
        exchange -> {
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content, 0, 1000);
          exchange.getResponseBody().flush();
          HttpsOrigin.await(over, 60_000);
        });
    String location =
        begin(create("publisher", "public").get("token").asString(), "public", path, path, content)
            .headers()
            .firstValue("Location")
            .orElseThrow();
    eventually("its bytes come", () -> asked(path) > 0);
    String token =
        switch (role) {
          case "nobody" -> "";
          case "stranger" -> "x".repeat(43);
          default -> create(role, repository).get("token").asString();
        };
    String forged = "/forged-" + role;
    assertThat(begin(token, "public", "stolen", forged, content).statusCode()).isEqualTo(status);
    assertThat(asked(forged)).isZero();
    // A publisher may ask, and has no such fetch.
    int hidden = role.equals("publisher") ? 404 : status;
    assertThat(send(token, "GET", location).statusCode()).isEqualTo(hidden);
    assertThat(send(token, "DELETE", location).statusCode()).isEqualTo(hidden);
    HttpResponse<String> list = send(token, "GET", FETCHES);
    assertThat(list.statusCode()).isEqualTo(role.equals("publisher") ? 200 : status);
    assertThat(list.body()).doesNotContain(idOf(location));
    assertThat(admin.get(FETCHES).body()).contains(idOf(location));
    assertThat(admin.delete(location).statusCode()).isEqualTo(204);
  }

  /** A publisher fills all places that it gets with files that never come. */
  @Test
  void aFloodLeavesPlacesToOthersAndEndsWithItsToken() throws Exception {
    AtomicInteger open = new AtomicInteger();
    origin.answer(
        "/never",
        exchange -> {
          exchange.sendResponseHeaders(200, 5_000_000);
          open.incrementAndGet();
          try {
            while (true) {
              exchange.getResponseBody().write(1);
              exchange.getResponseBody().flush();
              HttpsOrigin.await(new CountDownLatch(1), 100);
            }
          } finally {
            open.decrementAndGet();
          }
        });
    JsonNode attacker = create("publisher", "public");
    String token = attacker.get("token").asString();
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 110; i++) {
      statuses.add(begin(token, "public", "flood/" + i, "/never", content).statusCode());
    }
    assertThat(statuses).contains(202, 429);
    assertThat(statuses.stream().filter(each -> each == 202)).hasSize(100);
    eventually("they have their share", () -> open.get() == 2);
    origin.file("/mine", content, "\"v1\"", HttpsOrigin::never);
    assertThat(fetch("public", "mine.img", "/mine", content).get("state").asString())
        .isEqualTo("complete");
    assertThat(admin.delete("/api/v1/tokens/" + attacker.get("id").asString()).statusCode())
        .isEqualTo(204);
    eventually(
        "all of them end", () -> open.get() == 0 && !admin.get(FETCHES).body().contains("ing\""));
    assertNothingIsLeft();
  }

  private static void assertNothingIsLeft() {
    eventually("no part is left", () -> folder.resolve("data/uploads").toFile().list().length == 0);
  }

  private long asked(String path) {
    return origin.asked().stream().filter(each -> each.path().equals(path)).count();
  }

  private JsonNode fetch(String repository, String path, String file, byte[] bytes)
      throws Exception {
    HttpResponse<String> begun = begin(server.operatorToken(), repository, path, file, bytes);
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(202);
    return over(begun.headers().firstValue("Location").orElseThrow());
  }

  private JsonNode over(String location) {
    eventually(
        "the fetch is over",
        () -> !admin.get(location).body().matches("(?s).*\"(wait|runn)ing\".*"));
    try {
      return JsonMapper.shared().readTree(admin.get(location).body());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String idOf(String location) {
    return location.substring(FETCHES.length() + 1);
  }

  private HttpResponse<String> begin(
      String token, String repository, String path, String file, byte[] bytes) throws Exception {
    return begin(token, repository, path, origin.uri(PRIVATE, file), bytes);
  }

  private HttpResponse<String> begin(
      String token, String repository, String path, URI url, byte[] bytes) throws Exception {
    return post(token, json(repository, path, url.toString(), sha256(bytes)));
  }

  private static String json(String repository, String path, String url, String sha256) {
    return "{\"repository\":\"%s\",\"path\":\"%s\",\"url\":\"%s\",\"sha256\":\"%s\"}"
        .formatted(repository, path.replaceFirst("^/", ""), url, sha256);
  }

  private HttpResponse<String> post(String token, String body) throws Exception {
    return client.send(
        request(token, FETCHES)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(body))
            .build(),
        BodyHandlers.ofString());
  }

  private HttpResponse<String> send(String token, String method, String path) throws Exception {
    return client.send(
        request(token, path).method(method, BodyPublishers.noBody()).build(),
        BodyHandlers.ofString());
  }

  private static HttpRequest.Builder request(String token, String path) {
    HttpRequest.Builder request = HttpRequest.newBuilder(server.uri(path));
    return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
  }

  private JsonNode create(String role, String repository) throws Exception {
    String scope = repository.isEmpty() ? "" : ",\"repositories\":[\"%s\"]".formatted(repository);
    return JsonMapper.shared()
        .readTree(
            admin
                .json(
                    "POST",
                    "/api/v1/tokens",
                    "{\"name\":\"fetch\",\"role\":\"%s\",\"expires\":\"1h\"%s}"
                        .formatted(role, scope))
                .body());
  }

  private static String sha256(byte[] bytes) {
    return HexFormat.of().formatHex(DigestAlgorithm.SHA_256.newMessageDigest().digest(bytes));
  }
}
