package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** People who sign in with a browser at a real OpenID Connect provider. */
class OidcSignInIT extends OidcFixture {
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
  void aPersonSignsInToTheConsole() throws Exception {
    Browser browser = new Browser(server, client);
    assertThat(browser.get("/login").body()).contains("/login/provider?next=");
    HttpResponse<String> begun = browser.get("/login/provider?next=%2Fconsole%2Ftokens");
    assertThat(begun.statusCode()).isEqualTo(303);
    URI provided = URI.create(begun.headers().firstValue("Location").orElseThrow());
    URI back = provider.signIn(provided, "alice");
    // A code that somebody else's browser brings is worthless there.
    assertThat(new Browser(server, client).send(back, "GET", "").statusCode()).isEqualTo(403);
    HttpResponse<String> ended = browser.send(back, "GET", "");
    assertThat(ended.statusCode()).as(ended.body()).isEqualTo(200);
    assertThat(ended.body()).contains("url=/console/tokens");
    assertThat(browser.cookies()).containsOnlyKeys("artifact-server-session");
    HttpResponse<String> page = browser.get("/console/tokens");
    assertThat(page.statusCode()).isEqualTo(200);
    assertThat(page.body()).contains("alice", "(admin)");
    assertThat(browser.send(back, "GET", "").statusCode()).as("a second time").isEqualTo(403);
  }

  @Test
  void whoIsInNoGroupSeesNothingInTheConsole() throws Exception {
    Browser browser = new Browser(server, client);
    HttpResponse<String> begun = browser.get("/login/provider");
    URI provided = URI.create(begun.headers().firstValue("Location").orElseThrow());
    HttpResponse<String> refused = browser.send(provider.signIn(provided, "guest"), "GET", "");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("guest", "artifact-server.oidc.grants");
    assertThat(browser.cookies()).doesNotContainKey("artifact-server-session");
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
  @Nightly("SignInTest shows the secret in both ways; the other sign-ins are of a public client.")
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

  private static String parameter(URI address, String name) {
    return Arrays.stream(address.getQuery().split("&"))
        .filter(parameter -> parameter.startsWith(name + '='))
        .map(parameter -> parameter.substring(name.length() + 1))
        .findFirst()
        .orElseThrow();
  }
}
