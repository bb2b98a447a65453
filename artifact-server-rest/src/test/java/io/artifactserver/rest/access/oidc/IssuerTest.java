package io.artifactserver.rest.access.oidc;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.nimbusds.jose.RemoteKeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.RSAKey;
import com.sun.net.httpserver.HttpServer;
import io.artifactserver.rest.access.IssuerUnavailableException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Keys and metadata of a provider that rotates them, goes away, lies, or says nothing. */
class IssuerTest {
  private static final RSAKey FIRST = ForgedTokens.newKey("first");
  private static final RSAKey SECOND = ForgedTokens.newKey("second");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);
  private final AtomicInteger fetches = new AtomicInteger();
  private final AtomicInteger status = new AtomicInteger(200);
  private final Semaphore answers = new Semaphore(1000);
  private final AtomicReference<String> keySet = new AtomicReference<>(keySet(FIRST));
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer provider;
  private final String issuer;
  private final AtomicReference<String> metadata;
  private final IssuerClient client = new IssuerClient(Duration.ofSeconds(30));
  private final Issuer keys;

  IssuerTest() throws IOException {
    provider = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 16);
    issuer = "http://127.0.0.1:" + provider.getAddress().getPort() + "/realm";
    metadata = new AtomicReference<>(metadata(issuer, issuer + "/keys"));
    provider.setExecutor(threads);
    provider.createContext(
        "/realm/.well-known/openid-configuration",
        exchange -> {
          byte[] body = metadata.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status.get(), body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    provider.createContext(
        "/realm/keys",
        exchange -> {
          fetches.incrementAndGet();
          answers.acquireUninterruptibly();
          byte[] body = keySet.get().getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    provider.start();
    keys = keys(issuer, client);
  }

  @AfterEach
  void close() {
    client.close();
    answers.release(1000);
    provider.stop(0);
    threads.shutdownNow();
  }

  @Test
  void areFetchedOnceForManyTokens() throws Exception {
    for (int i = 0; i < 100; i++) {
      assertThat(ask("first")).hasSize(1);
    }
    assertThat(fetches).hasValue(1);
  }

  @Test
  void theMetadataIsFetchedWithThem() throws Exception {
    assertThat(keys.metadata().path("jwks_uri").asString()).isEqualTo(issuer + "/keys");
    assertThat(ask("first")).hasSize(1);
    assertThat(fetches).hasValue(1);
    status.set(503);
    pass(Duration.ofMinutes(59));
    assertThat(keys.metadata().path("issuer").asString()).isEqualTo(issuer);
    pass(Duration.ofMinutes(2));
    assertThatExceptionOfType(IssuerUnavailableException.class)
        .isThrownBy(keys::metadata)
        .withMessageContaining("503");
  }

  @Test
  void areThereBeforeAnybodyAsks() {
    keys.warmUp();
    eventually("the keys are fetched", () -> fetches.get() == 1);
  }

  @Test
  void aNewKeyIsFoundWhenATokenNamesIt() throws Exception {
    assertThat(ask("first")).hasSize(1);
    keySet.set(keySet(SECOND));
    pass(Duration.ofSeconds(6));
    assertThat(ask("second")).hasSize(1);
    assertThat(ask("first")).isEmpty();
    assertThat(fetches).hasValue(2);
  }

  @Test
  void tokensWithUnknownKeysDoNotFloodTheProvider() throws Exception {
    assertThat(ask("first")).hasSize(1);
    for (int i = 0; i < 1000; i++) {
      assertThat(ask("unknown-" + i)).isEmpty();
    }
    assertThat(fetches).hasValue(1);
    pass(Duration.ofSeconds(6));
    for (int i = 0; i < 1000; i++) {
      assertThat(ask("unknown-" + i)).isEmpty();
    }
    assertThat(fetches).hasValue(2);
  }

  @Test
  void aWithdrawnKeyIsGoneWithinMinutes() throws Exception {
    assertThat(ask("first")).hasSize(1);
    keySet.set(keySet(SECOND));
    pass(Duration.ofMinutes(6));
    assertThat(ask("first")).isEmpty();
  }

  @Test
  void stayGoodForAnHourWithoutTheProvider() throws Exception {
    assertThat(ask("first")).hasSize(1);
    status.set(500);
    pass(Duration.ofMinutes(59));
    assertThat(ask("first")).hasSize(1);
    // It may be a new one.
    assertUnavailable("unknown", "answered 500");
    pass(Duration.ofMinutes(2));
    assertUnavailable("first", "answered 500");
    status.set(200);
    assertUnavailable("first", "answered 500");
    pass(Duration.ofSeconds(6));
    assertThat(ask("first")).hasSize(1);
  }

  @Test
  void aProviderOfAnotherNameIsNotTheIssuer() {
    metadata.set(metadata(issuer + "/", issuer + "/keys"));
    assertUnavailable("first", "names itself \"" + issuer + "/\"");
    assertThat(fetches).hasValue(0);
  }

  @Test
  void keysFromTheOpenNetworkAreNotTaken() {
    metadata.set(metadata(issuer, "http://id.example.com/keys"));
    assertUnavailable("first", "no https address");
    pass(Duration.ofSeconds(6));
    metadata.set("{}");
    assertUnavailable("first", "names itself");
    pass(Duration.ofSeconds(6));
    metadata.set("<html>");
    assertUnavailable("first", "");
    pass(Duration.ofSeconds(6));
    metadata.set(metadata(issuer, "::"));
    assertUnavailable("first", "no https address");
  }

  @Test
  void anEndlessAnswerIsCut() {
    keySet.set(" ".repeat(600_000) + keySet(FIRST));
    assertUnavailable("first", "");
  }

  @Test
  void aSilentProviderHoldsUpTwoThreadsAtMost() throws Exception {
    answers.drainPermits();
    List<CompletableFuture<List<JWK>>> asking = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      asking.add(CompletableFuture.supplyAsync(() -> askUnchecked("first"), threads));
    }
    eventually(
        "all but two are told to come again",
        () -> asking.stream().filter(CompletableFuture::isDone).count() == 8);
    assertThat(asking.stream().filter(CompletableFuture::isCompletedExceptionally)).hasSize(8);
    answers.release(1000);
    eventually("the two have the keys", () -> asking.stream().allMatch(CompletableFuture::isDone));
    assertThat(asking.stream().filter(CompletableFuture::isCompletedExceptionally)).hasSize(8);
    assertThat(fetches).hasValue(1);
  }

  @Test
  void aProviderThatDoesNotAnswerIsGivenUp() {
    answers.drainPermits();
    try (IssuerClient client = new IssuerClient(Duration.ofMillis(200))) {
      Issuer impatient = keys(issuer, client);
      assertThatExceptionOfType(RemoteKeySourceException.class)
          .isThrownBy(() -> impatient.get(selector("first"), null))
          .withMessageContaining("does not answer");
    }
  }

  private Issuer keys(String name, IssuerClient client) {
    return new Issuer(name, client, JsonMapper.shared(), nanos::get);
  }

  private void pass(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  private void assertUnavailable(String id, String reason) {
    assertThatExceptionOfType(RemoteKeySourceException.class)
        .isThrownBy(() -> ask(id))
        .withMessageContaining(issuer)
        .withMessageContaining(reason);
  }

  private List<JWK> ask(String id) throws RemoteKeySourceException {
    return keys.get(selector(id), null);
  }

  private List<JWK> askUnchecked(String id) {
    try {
      return ask(id);
    } catch (RemoteKeySourceException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JWKSelector selector(String id) {
    return new JWKSelector(new JWKMatcher.Builder().keyID(id).build());
  }

  private static String metadata(String name, String keysAddress) {
    return "{\"issuer\":\"%s\",\"jwks_uri\":\"%s\"}".formatted(name, keysAddress);
  }

  private static String keySet(RSAKey key) {
    return "{\"keys\":[%s]}".formatted(key.toPublicJWK().toJSONString());
  }
}
