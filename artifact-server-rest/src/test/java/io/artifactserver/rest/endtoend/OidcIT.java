package io.artifactserver.rest.endtoend;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.nightly.Nightly;
import io.artifactserver.core.testserver.Ports;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Bearer tokens of a real OpenID Connect provider, over HTTP. */
class OidcIT extends OidcFixture {
  private static final String ARTIFACT = "/artifacts/boards/nightly/image";
  private static final String OTHER = "/artifacts/other/image";

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
    Instant end;
    String token;
    int status;
    int seconds = 4;
    do {
      // A busy machine may need longer.
      end = Instant.now().plusSeconds(seconds);
      token =
          provider
              .forger()
              .sign(provider.forger().claims("admins").expirationTime(Date.from(end)).build());
      status = send(server, "GET", ARTIFACT, token);
      seconds *= 2;
    } while (status == 401 && Instant.now().isAfter(end) && seconds < 100);
    assertThat(status).isEqualTo(200);
    String expiring = token;
    eventually("the token ends", () -> send(server, "GET", ARTIFACT, expiring) == 401);
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
  @Nightly("IssuerTest has the outages of a provider.")
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
  @Nightly("IssuerTest has the silent provider.")
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
}
