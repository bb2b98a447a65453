package io.artifactserver.rest.access.oidc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.RSAKey;
import com.sun.net.httpserver.HttpServer;
import io.artifactserver.core.access.InstallationSecret;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.rest.access.IssuerUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** The questions to a provider, and every answer that it may give. */
class SignInTest {
  private static final RSAKey KEY = ForgedTokens.newKey("key");
  private static final URI PAGE = URI.create("https://artifacts.example.com/swagger-ui/index.html");

  private final AtomicInteger status = new AtomicInteger(200);
  private final AtomicReference<String> answer = new AtomicReference<>("{}");
  private final AtomicReference<String> methods = new AtomicReference<>("");
  private final AtomicReference<String> asked = new AtomicReference<>("");
  private final AtomicReference<String> authorization = new AtomicReference<>("");
  private final IssuerClient client = new IssuerClient(Duration.ofSeconds(30));
  private final InstallationSecret secret =
      new InstallationSecret("0123456789abcdef".getBytes(StandardCharsets.US_ASCII));
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
  private final HttpServer provider;
  private final String issuer;

  SignInTest() throws IOException {
    provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    issuer = "http://127.0.0.1:" + provider.getAddress().getPort();
    answer(
        "/.well-known/openid-configuration",
        () ->
            """
            {"issuer": "%1$s", "jwks_uri": "%1$s/keys", "token_endpoint": "%1$s/token",
             "authorization_endpoint": "%1$s/authorize?tenant=7"%2$s}
            """
                .formatted(issuer, methods.get()));
    answer("/keys", () -> new JWKSet(KEY.toPublicJWK()).toString());
    provider.createContext(
        "/token",
        exchange -> {
          asked.set(
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.US_ASCII));
          authorization.set(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          byte[] body = answer.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status.get(), body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    provider.start();
  }

  private void answer(String path, Supplier<String> text) {
    provider.createContext(
        path,
        exchange -> {
          byte[] body = text.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  @AfterEach
  void close() {
    client.close();
    provider.stop(0);
  }

  @Test
  void thePersonIsSentToTheProvider() throws Exception {
    SignIn signIn = signIn("");
    SignIn.Offer start = signIn.start(PAGE);
    Map<String, String> query = fields(start.url().getRawQuery());
    assertThat(start.url().toString()).startsWith(issuer + "/authorize?tenant=7&");
    assertThat(query)
        .containsEntry("response_type", "code")
        .containsEntry("client_id", "console")
        .containsEntry("redirect_uri", PAGE.toString())
        .containsEntry("scope", "openid groups")
        .containsEntry("state", start.state())
        .containsEntry("code_challenge_method", "S256");
    byte[] digest =
        MessageDigest.getInstance("SHA-256")
            .digest(start.verifier().getBytes(StandardCharsets.US_ASCII));
    assertThat(Base64.getUrlDecoder().decode(query.get("code_challenge"))).isEqualTo(digest);
    assertThat(start.verifier()).matches("[A-Za-z0-9_-]{43}").isNotEqualTo(start.state());
    assertThat(start.toString()).doesNotContain(start.verifier());
    assertThat(signIn.start(PAGE).verifier()).isNotEqualTo(start.verifier());
  }

  @Test
  void theCodeBecomesAToken() {
    String token = forger("artifact-server").good("admins");
    answer.set("{\"access_token\": \"opaque\", \"id_token\": \"%s\"}".formatted(token));
    SignIn.End end = end(signIn(""), "a+b/c&d");
    assertThat(end.token()).isEqualTo(token);
    assertThat(end.caller().name()).isEqualTo("ada");
    assertThat(end.caller().role()).isEqualTo(Role.ADMIN);
    assertThat(end.toString()).doesNotContain(token);
    assertThat(fields(asked.get()))
        .isEqualTo(
            Map.of(
                "grant_type", "authorization_code",
                "code", "a+b/c&d",
                "redirect_uri", PAGE.toString(),
                "code_verifier", "proof",
                "client_id", "console"));
    assertThat(authorization).hasValue("null");
  }

  @Test
  void theTokenIsTheOneThatIsForThisServer() {
    String good = forger("artifact-server").good("admins");
    answer.set(
        "{\"id_token\": \"%s\", \"access_token\": \"%s\"}"
            .formatted(forger("console").good("admins"), good));
    assertThat(end(signIn(""), "code").token()).isEqualTo(good);
  }

  @Test
  void noTokenOfThemMayBeForThisServer() {
    String other = forger("console").good("admins");
    answer.set("{\"id_token\": \"%1$s\", \"access_token\": \"%1$s\"}".formatted(other));
    assertRefused("artifact-server.oidc.audience");
  }

  @ParameterizedTest
  @CsvSource({
    "'', true",
    "'client_secret_basic,client_secret_post', true",
    "client_secret_post, false"
  })
  void theSecretIsShownAsTheProviderWantsIt(String supported, boolean isBasic) {
    if (!supported.isEmpty()) {
      methods.set(
          Arrays.stream(supported.split(","))
              .map(method -> '"' + method + '"')
              .collect(
                  Collectors.joining(",", ", \"token_endpoint_auth_methods_supported\": [", "]")));
    }
    answer.set("{\"id_token\": \"%s\"}".formatted(forger("artifact-server").good("admins")));
    assertThat(end(signIn("a:secret %"), "code").token()).isNotEmpty();
    if (isBasic) {
      // Each part is encoded before the two are joined (RFC 6749, section 2.3.1).
      String pair =
          new String(
              Base64.getDecoder().decode(authorization.get().substring(6)),
              StandardCharsets.US_ASCII);
      assertThat(pair).isEqualTo("console:a%3Asecret+%25");
      assertThat(asked.get()).doesNotContain("secret").doesNotContain("client_id");
    } else {
      assertThat(authorization).hasValue("null");
      assertThat(fields(asked.get()))
          .containsEntry("client_id", "console")
          .containsEntry("client_secret", "a:secret %");
    }
  }

  @Test
  void theProviderSaysWhyItRefuses() {
    status.set(400);
    answer.set("{\"error\": \"invalid_grant\", \"error_description\": \"The code is used\"}");
    assertRefused("invalid_grant (The code is used)");
    answer.set("{\"error\": \"invalid_client\"}");
    assertRefused("invalid_client");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "<html>", "[", "{}"})
  void anAnswerThatIsNoneIsAnOutage(String body) {
    status.set(500);
    answer.set(body);
    assertThatExceptionOfType(IssuerUnavailableException.class)
        .isThrownBy(() -> end(signIn(""), "code"));
  }

  @Test
  void anAnswerWithoutATokenIsRefused() {
    answer.set("[]");
    assertRefused("audience");
    answer.set("{\"id_token\": 7}");
    assertRefused("audience");
  }

  @Test
  void anEndlessAnswerIsAnOutage() {
    answer.set("{\"x\": \"" + "x".repeat(1 << 20) + "\"}");
    assertThatExceptionOfType(IssuerUnavailableException.class)
        .isThrownBy(() -> end(signIn(""), "code"));
  }

  @Test
  void theProviderIsAskedOnlyAboutSignInsThatBeganHere() {
    SignIn signIn = signIn("");
    String good = states().issue(challenge("proof"), PAGE);
    String other =
        new SignInStates(new InstallationSecret(new byte[16]), now::get)
            .issue(challenge("proof"), PAGE);
    byte[] later = Base64.getUrlDecoder().decode(good);
    later[6]++;
    for (String state :
        List.of("", "x", "%", good + "A", good.substring(1), other, encoded(later))) {
      assertNotAsked(signIn, state, "proof", PAGE);
    }
    assertNotAsked(signIn, good, "another", PAGE);
    assertNotAsked(signIn, good, "proof", URI.create("https://elsewhere.example.com"));
    now.set(now.get().plus(SignInStates.LIFETIME));
    assertNotAsked(signIn, good, "proof", PAGE);
  }

  @Test
  void aSignInEndsOnce() {
    answer.set("{\"error\": \"invalid_grant\"}");
    SignIn signIn = signIn("");
    String state = states().issue(challenge("proof"), PAGE);
    assertThatExceptionOfType(SignInRefusedException.class)
        .isThrownBy(() -> signIn.end("wrong", state, "proof", PAGE))
        .withMessageContaining("invalid_grant");
    asked.set("");
    assertNotAsked(signIn, state, "proof", PAGE);
  }

  /** The code may still be good. */
  @Test
  void aSignInMayBeTriedAgainAfterAnOutage() {
    SignIn signIn = signIn("");
    String state = states().issue(challenge("proof"), PAGE);
    status.set(500);
    assertThatExceptionOfType(IssuerUnavailableException.class)
        .isThrownBy(() -> signIn.end("code", state, "proof", PAGE));
    status.set(200);
    answer.set("{\"id_token\": \"%s\"}".formatted(forger("artifact-server").good("admins")));
    assertThat(signIn.end("code", state, "proof", PAGE).token()).isNotEmpty();
  }

  private void assertNotAsked(SignIn signIn, String state, String verifier, URI page) {
    assertThatExceptionOfType(SignInRefusedException.class)
        .isThrownBy(() -> signIn.end("code", state, verifier, page))
        .withMessageContaining("state");
    assertThat(asked).hasValue("");
  }

  private static String encoded(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  private void assertRefused(String reason) {
    assertThatExceptionOfType(SignInRefusedException.class)
        .isThrownBy(() -> end(signIn(""), "code"))
        .withMessageContaining(reason);
  }

  private ForgedTokens forger(String audience) {
    return new ForgedTokens(issuer, audience, KEY);
  }

  private SignIn signIn(String secret) {
    OidcProperties properties =
        new OidcProperties(
            issuer,
            "artifact-server",
            "groups",
            "preferred_username",
            Duration.ofSeconds(60),
            List.of(new OidcProperties.Grant("admins", Role.ADMIN, Set.of(), Set.of())),
            new OidcProperties.SignIn("console", secret, List.of("openid", "groups")));
    Issuer published = new Issuer(issuer, client, JsonMapper.shared(), System::nanoTime);
    OidcTokens tokens = new OidcTokens(properties, published, InstantSource.system());
    return new SignIn(properties, published, client, tokens, states(), JsonMapper.shared());
  }

  /** Those of any server of the database. */
  private SignInStates states() {
    return new SignInStates(secret, now::get);
  }

  private SignIn.End end(SignIn signIn, String code) {
    return signIn.end(code, states().issue(challenge("proof"), PAGE), "proof", PAGE);
  }

  private static String challenge(String verifier) {
    byte[] digest =
        DigestAlgorithm.SHA_256
            .newMessageDigest()
            .digest(verifier.getBytes(StandardCharsets.US_ASCII));
    return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
  }

  private static Map<String, String> fields(String form) {
    Map<String, String> fields = new HashMap<>();
    for (String field : form.split("&")) {
      String[] pair = field.split("=", 2);
      fields.put(pair[0], URLDecoder.decode(pair[1], StandardCharsets.UTF_8));
    }
    return fields;
  }
}
