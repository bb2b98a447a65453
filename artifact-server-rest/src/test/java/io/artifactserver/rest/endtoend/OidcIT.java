package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.testserver.Ports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The packaged server and a real OpenID Connect provider, over HTTP. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OidcIT {
  private static final byte[] CONTENT = Bytes.random(100_000, 24);
  private static final String ARTIFACT = "/artifacts/boards/nightly/image";
  private static final String OTHER = "/artifacts/other/image";

  private final IdentityProvider provider = new IdentityProvider(Ports.reserve());
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private PackagedServer server;

  @BeforeAll
  void start(@TempDir Path folder) throws Exception {
    provider.start();
    server = server(folder, provider.issuer());
  }

  @AfterAll
  void stop() {
    server.close();
    provider.close();
    client.close();
  }

  @Test
  void aPipelinePublishesInItsScope() throws Exception {
    String token = provider.tokenOfClient("pipeline");
    String artifacts = "/api/v1/repositories/%s/artifacts/%s";
    assertThat(send(server, "PUT", artifacts.formatted("boards", "nightly/new"), token))
        .isEqualTo(201);
    assertThat(send(server, "DELETE", artifacts.formatted("boards", "nightly/new"), token))
        .isEqualTo(204);
    assertThat(send(server, "PUT", artifacts.formatted("boards", "stable/new"), token))
        .isEqualTo(403);
    assertThat(send(server, "PUT", artifacts.formatted("other", "nightly/new"), token))
        .isEqualTo(403);
    assertThat(send(server, "GET", "/api/v1/tokens", token)).isEqualTo(403);
  }

  @Test
  void downloadsAreInTheScopeToo() throws Exception {
    String token = provider.tokenOfClient("viewer");
    // Again and again on one connection, which learns to answer by itself.
    for (int i = 0; i < 20; i++) {
      HttpRequest request =
          HttpRequest.newBuilder(server.uri(ARTIFACT))
              .header("Authorization", "Bearer " + token)
              .header("Range", "bytes=%d-%d".formatted(i, i + 999))
              .build();
      HttpResponse<byte[]> part = client.send(request, BodyHandlers.ofByteArray());
      assertThat(part.statusCode()).isEqualTo(206);
      assertThat(part.body()).isEqualTo(Arrays.copyOfRange(CONTENT, i, i + 1000));
    }
    assertThat(send(server, "GET", OTHER, token)).isEqualTo(404);
    assertThat(send(server, "GET", "/artifacts/boards/absent", token)).isEqualTo(404);
    assertThat(send(server, "GET", "/api/v1/repositories/boards", token)).isEqualTo(200);
    assertThat(send(server, "GET", "/api/v1/repositories/other", token)).isEqualTo(403);
    assertThat(send(server, "POST", "/api/v1/links", token)).isEqualTo(403);
  }

  @Test
  void anAdminMayEverythingAndIsNamedInTheAudit() throws Exception {
    String token = provider.tokenOfClient("alice");
    assertThat(send(server, "GET", "/api/v1/tokens", token)).isEqualTo(200);
    assertThat(send(server, "GET", OTHER, token)).isEqualTo(200);
    assertThat(send(server, "DELETE", "/api/v1/tokens/absent", token)).isEqualTo(404);
    HttpRequest audit =
        HttpRequest.newBuilder(server.uri("/api/v1/audit"))
            .header("Authorization", "Bearer " + token)
            .build();
    assertThat(client.send(audit, BodyHandlers.ofString()).body())
        .contains("\"caller\":\"oidc:alice\"")
        .contains("\"name\":\"alice\"")
        .doesNotContain(token);
  }

  @Test
  void whoIsInNoGroupMayNothing() throws Exception {
    String token = provider.tokenOfClient("guest");
    assertThat(send(server, "GET", "/api/v1/repositories", token)).isEqualTo(403);
    assertThat(send(server, "GET", "/api/v1/tokens", token)).isEqualTo(403);
    assertThat(send(server, "GET", ARTIFACT, token)).isEqualTo(404);
    assertThat(send(server, "GET", "/artifacts/open/image", token)).isEqualTo(200);
  }

  @Test
  void whatIsNotGoodIsA401() throws Exception {
    // The provider issued it to an admin, but for another service.
    List<String> wrong = new ArrayList<>();
    wrong.add(provider.tokenOfClient("elsewhere"));
    Map<String, String> bad = provider.forger().bad("admins");
    assertThat(bad).hasSizeGreaterThan(20);
    wrong.addAll(bad.values());
    try (HttpClient stranger = from("127.0.0.2")) {
      for (String token : wrong) {
        assertThat(send(stranger, server, "GET", "/api/v1/tokens", token)).as(token).isEqualTo(401);
        assertThat(send(stranger, server, "GET", ARTIFACT, token)).as(token).isEqualTo(401);
      }
      assertThat(send(stranger, server, "GET", "/artifacts/open/image", wrong.getFirst()))
          .isEqualTo(200);
      String good = provider.forger().good("admins");
      assertThat(send(stranger, server, "GET", "/api/v1/tokens", good)).isEqualTo(200);
    }
  }

  @Test
  void anExpiredTokenIsNotRemembered() throws Exception {
    Instant end = Instant.now().plusSeconds(4);
    String token =
        provider
            .forger()
            .sign(provider.forger().claims("admins").expirationTime(Date.from(end)).build());
    assertThat(send(server, "GET", ARTIFACT, token)).isEqualTo(200);
    eventually("the token ends", () -> send(server, "GET", ARTIFACT, token) == 401);
    assertThat(Instant.now()).isAfter(end.minusSeconds(1));
    assertThat(send(server, "GET", "/api/v1/tokens", token)).isEqualTo(401);
  }

  @Test
  void aNewKeyOfTheProviderIsFetched() throws Exception {
    assertThat(send(server, "GET", ARTIFACT, provider.tokenOfClient("viewer"))).isEqualTo(200);
    provider.rotate();
    String token = provider.tokenOfClient("viewer");
    // At once, unless keys were fetched within the last seconds.
    try (HttpClient stranger = from("127.0.0.3")) {
      eventually(
          "the new key is known", () -> send(stranger, server, "GET", ARTIFACT, token) == 200);
    }
  }

  @Test
  void aPersonSignsInWithABrowser() throws Exception {
    JsonNode start = begin(server);
    URI back = provider.signIn(URI.create(start.get("url").asString()), "alice");
    assertThat(back.toString()).startsWith(page(server) + "?");
    assertThat(parameter(back, "state")).isEqualTo(start.get("state").asString());
    HttpResponse<String> ended = end(server, start, back, page(server));
    assertThat(ended.statusCode()).isEqualTo(200);
    assertThat(ended.headers().firstValue("Cache-Control")).hasValue("no-store");
    JsonNode signedIn = JsonMapper.shared().readTree(ended.body());
    assertThat(signedIn.get("name").asString()).isEqualTo("alice");
    assertThat(signedIn.get("role").asString()).isEqualTo("admin");
    String token = signedIn.get("token").asString();
    assertThat(send(server, "GET", "/api/v1/tokens", token)).isEqualTo(200);
    assertThat(server.log()).contains("alice (oidc:alice) has signed in").doesNotContain(token);
    // A code found in a browser history is worthless: it works once.
    HttpResponse<String> again = end(server, start, back, page(server));
    assertThat(again.statusCode()).isEqualTo(403);
    assertThat(again.body()).contains("used before");
  }

  @Test
  void aCodeIsOfWhoBegan() throws Exception {
    JsonNode start = begin(server);
    URI back = provider.signIn(URI.create(start.get("url").asString()), "alice");
    HttpResponse<String> stolen = end(server, begin(server), back, page(server));
    assertThat(stolen.statusCode()).isEqualTo(403);
    assertThat(stolen.body()).contains("invalid_grant");
    JsonNode other = begin(server);
    URI otherBack = provider.signIn(URI.create(other.get("url").asString()), "alice");
    HttpResponse<String> elsewhere = end(server, other, otherBack, "https://elsewhere.example.com");
    assertThat(elsewhere.statusCode()).isEqualTo(403);
    assertThat(elsewhere.body()).contains("with this verifier and page");
  }

  /** Neither those who invent a state nor those who ask for one each time, whatever they send. */
  @Test
  void wrongCodesKeepNobodyOut() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicInteger invented = new AtomicInteger();
    AtomicInteger asked = new AtomicInteger();
    List<CompletableFuture<Void>> attackers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      attackers.add(
          CompletableFuture.runAsync(() ->
              attack(
                  "127.0.0.1",
                  isOver,
                  invented,
                  () -> "state=invented&verifier=a&redirectUri=" + page(server))));
      attackers.add(
          CompletableFuture.runAsync(() ->
              attack(
                  "127.0.0.9",
                  isOver,
                  asked,
                  () -> {
                    JsonNode start = begin(server);
                    return "state=%s&verifier=%s&redirectUri=%s"
                        .formatted(
                            start.get("state").asString(),
                            start.get("verifier").asString(),
                            page(server));
                  })));
    }
    eventually("both send wrong codes", () -> invented.get() > 20 && asked.get() > 20);
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      JsonNode start = begin(server);
      URI back = provider.signIn(URI.create(start.get("url").asString()), "alice");
      statuses.add(end(server, start, back, page(server)).statusCode());
    }
    isOver.set(true);
    for (CompletableFuture<Void> each : attackers) {
      each.get();
    }
    System.out.printf(
        "  wrong codes: %d with an invented state, %d with one of a sign-in%n",
        invented.get(), asked.get());
    assertThat(statuses).containsOnly(200);
  }

  private void attack(
      String address, AtomicBoolean isOver, AtomicInteger sent, Callable<String> parameters) {
    try (HttpClient attacker = from(address)) {
      while (!isOver.get()) {
        URI wrong = server.uri("/api/v1/sign-in?code=wrong&" + parameters.call());
        int status =
            attacker
                .send(
                    HttpRequest.newBuilder(wrong).POST(BodyPublishers.noBody()).build(),
                    BodyHandlers.discarding())
                .statusCode();
        assertThat(status).isIn(403, 503);
        sent.incrementAndGet();
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whoIsInNoGroupIsToldSo() throws Exception {
    JsonNode start = begin(server);
    URI back = provider.signIn(URI.create(start.get("url").asString()), "guest");
    HttpResponse<String> refused = end(server, start, back, page(server));
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("guest", "artifact-server.oidc.grants");
  }

  @Test
  void aClientWithASecretSignsPeopleIn(@TempDir Path folder) throws Exception {
    try (PackagedServer other =
        server(
            folder,
            provider.issuer(),
            "--artifact-server.oidc.sign-in.client-id=" + IdentityProvider.SECRET_CLIENT,
            "--artifact-server.oidc.sign-in.client-secret="
                + IdentityProvider.secretOf(IdentityProvider.SECRET_CLIENT))) {
      JsonNode start = begin(other);
      URI back = provider.signIn(URI.create(start.get("url").asString()), "alice");
      HttpResponse<String> ended = end(other, start, back, page(other));
      assertThat(ended.statusCode()).isEqualTo(200);
      String token = JsonMapper.shared().readTree(ended.body()).get("token").asString();
      assertThat(send(other, "GET", "/api/v1/tokens", token)).isEqualTo(200);
    }
  }

  @Test
  void whatStrangersMayAskForTakesNoBody() throws Exception {
    String address = "/api/v1/sign-in?code=a&state=s&verifier=b&redirectUri=" + page(server);
    try (Wire wire = new Wire(server.port())) {
      // A form that never comes would hold the thread that reads it.
      wire.send(
          "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\n"
              .formatted(address));
      assertThat(wire.receive(true).status()).isEqualTo(415);
    }
    try (Wire wire = new Wire(server.port())) {
      wire.send("POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n".formatted(address));
      assertThat(wire.receive(true).status()).isEqualTo(403);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "GET ",
        "GET ?redirectUri=",
        "GET ?redirectUri=javascript:alert(1)",
        "GET ?redirectUri=/swagger-ui/index.html",
        "GET ?redirectUri=https://x.example.com/%23fragment",
        "GET ?redirectUri=https://x.example.com/%0d%0aSet-Cookie:a",
        "GET ?redirectUri=https://x.example.com/LONG",
        "POST ?state=s&verifier=b&redirectUri=https://x.example.com",
        "POST ?code=&state=s&verifier=b&redirectUri=https://x.example.com",
        "POST ?code=LONG&state=s&verifier=b&redirectUri=https://x.example.com",
        "POST ?code=a&state=s&verifier=LONG&redirectUri=https://x.example.com",
        "POST ?code=a&verifier=b&redirectUri=https://x.example.com",
        "POST ?code=a&state=LONG&verifier=b&redirectUri=https://x.example.com",
        "POST ?code=a&state=s&verifier=b&redirectUri=x"
      })
  void whatIsNoSignInIsA400(String request) throws Exception {
    String[] words = request.split(" ", -1);
    URI address = server.uri("/api/v1/sign-in" + words[1].replace("LONG", "x".repeat(2100)));
    HttpResponse<String> refused =
        client.send(
            HttpRequest.newBuilder(address).method(words[0], BodyPublishers.noBody()).build(),
            BodyHandlers.ofString());
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.headers().firstValue("Content-Type")).hasValue("application/problem+json");
  }

  @Test
  void startsWithoutTheProviderAndWaitsForIt(@TempDir Path folder) throws Exception {
    try (IdentityProvider late = new IdentityProvider(Ports.reserve());
        PackagedServer early = server(folder, late.issuer())) {
      String token = late.forger().good("admins");
      HttpRequest request =
          HttpRequest.newBuilder(early.uri("/api/v1/tokens"))
              .header("Authorization", "Bearer " + token)
              .build();
      HttpResponse<String> refused = client.send(request, BodyHandlers.ofString());
      assertThat(refused.statusCode()).isEqualTo(503);
      assertThat(refused.headers().firstValue("Retry-After")).isPresent();
      assertThat(refused.body()).contains("Identity provider unavailable");
      assertThat(send(early, "GET", ARTIFACT, token)).isEqualTo(503);
      assertThat(send(early, "GET", ARTIFACT, early.operatorToken())).isEqualTo(200);
      assertThat(early.log()).contains("Tokens of " + late.issuer() + " cannot be verified");
      late.start();
      eventually("the provider is found", () -> send(early, "GET", ARTIFACT, token) == 200);
    }
  }

  @Test
  void aProviderThatSaysNothingHoldsUpNobody(@TempDir Path folder) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        PackagedServer patient = server(folder, "http://127.0.0.1:" + silent.getLocalPort())) {
      String token = provider.forger().good("admins");
      List<CompletableFuture<HttpResponse<Void>>> waiting = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        waiting.add(
            client.sendAsync(
                HttpRequest.newBuilder(patient.uri(i % 2 == 0 ? ARTIFACT : "/api/v1/tokens"))
                    .header("Authorization", "Bearer " + token)
                    .build(),
                BodyHandlers.discarding()));
      }
      for (int i = 0; i < 40; i++) {
        waiting.add(
            client.sendAsync(
                HttpRequest.newBuilder(patient.uri("/api/v1/sign-in?redirectUri=" + page(patient)))
                    .build(),
                BodyHandlers.discarding()));
      }
      // Another token has to be looked up.
      try (Operator operator = new Operator(patient)) {
        String made = operator.json("POST", "/api/v1/tokens", "{\"name\":\"device\"}").body();
        String device = JsonMapper.shared().readTree(made).get("token").asString();
        assertThat(send(patient, "GET", ARTIFACT, device)).isEqualTo(200);
      }
      for (CompletableFuture<HttpResponse<Void>> each : waiting) {
        assertThat(each.get().statusCode()).isEqualTo(503);
      }
    }
  }

  private JsonNode begin(PackagedServer at) throws IOException, InterruptedException {
    HttpResponse<String> begun =
        client.send(
            HttpRequest.newBuilder(at.uri("/api/v1/sign-in?redirectUri=" + page(at))).build(),
            BodyHandlers.ofString());
    assertThat(begun.statusCode()).as(begun.body()).isEqualTo(200);
    assertThat(begun.headers().firstValue("Cache-Control")).hasValue("no-store");
    return JsonMapper.shared().readTree(begun.body());
  }

  private HttpResponse<String> end(PackagedServer at, JsonNode start, URI back, String redirect)
      throws IOException, InterruptedException {
    String address =
        "/api/v1/sign-in?code=%s&state=%s&verifier=%s&redirectUri=%s"
            .formatted(
                parameter(back, "code"),
                start.get("state").asString(),
                start.get("verifier").asString(),
                redirect);
    return client.send(
        HttpRequest.newBuilder(at.uri(address)).POST(BodyPublishers.noBody()).build(),
        BodyHandlers.ofString());
  }

  private static String page(PackagedServer server) {
    return server.uri("/swagger-ui/index.html").toString();
  }

  private static String parameter(URI address, String name) {
    return Arrays.stream(address.getQuery().split("&"))
        .filter(parameter -> parameter.startsWith(name + '='))
        .map(parameter -> parameter.substring(name.length() + 1))
        .findFirst()
        .orElseThrow();
  }

  private static PackagedServer server(Path folder, String issuer) throws Exception {
    return server(
        folder,
        issuer,
        "--artifact-server.oidc.sign-in.client-id=" + IdentityProvider.PUBLIC_CLIENT);
  }

  private static PackagedServer server(Path folder, String issuer, String... more)
      throws Exception {
    List<String> options = new ArrayList<>(settings(issuer));
    options.addAll(List.of(more));
    PackagedServer started =
        PackagedServer.start(folder.resolve("data"), options.toArray(String[]::new));
    try (Operator operator = new Operator(started)) {
      operator.createRepository("boards", false);
      operator.createRepository("other", false);
      operator.createRepository("open", true);
      operator.put("boards", "nightly/image", CONTENT);
      operator.put("other", "image", CONTENT);
      operator.put("open", "image", CONTENT);
    }
    return started;
  }

  private static List<String> settings(String issuer) {
    return List.of(
        "--artifact-server.oidc.issuer=" + issuer,
        "--artifact-server.oidc.audience=" + IdentityProvider.AUDIENCE,
        "--artifact-server.oidc.clock-skew=1s",
        "--artifact-server.oidc.grants[0].group=ci",
        "--artifact-server.oidc.grants[0].role=publisher",
        "--artifact-server.oidc.grants[0].repositories=boards",
        "--artifact-server.oidc.grants[0].paths=nightly",
        "--artifact-server.oidc.grants[1].group=viewers",
        "--artifact-server.oidc.grants[1].role=reader",
        "--artifact-server.oidc.grants[1].repositories=boards",
        "--artifact-server.oidc.grants[2].group=admins",
        "--artifact-server.oidc.grants[2].role=admin");
  }

  /** Wrong tokens are counted by address. */
  private static HttpClient from(String address) throws IOException {
    return HttpClient.newBuilder()
        .version(HttpClient.Version.HTTP_1_1)
        .localAddress(InetAddress.getByName(address))
        .build();
  }

  private int send(PackagedServer to, String method, String path, String token)
      throws IOException, InterruptedException {
    return send(client, to, method, path, token);
  }

  private static int send(
      HttpClient client, PackagedServer to, String method, String path, String token)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(to.uri(path))
            .header("Authorization", "Bearer " + token)
            .header("Content-Type", "application/json")
            .method(
                method,
                method.equals("GET") || method.equals("DELETE")
                    ? BodyPublishers.noBody()
                    : BodyPublishers.ofString("{}"))
            .build();
    return client.send(request, BodyHandlers.discarding()).statusCode();
  }
}
