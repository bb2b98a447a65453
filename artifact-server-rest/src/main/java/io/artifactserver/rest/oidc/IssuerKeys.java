package io.artifactserver.rest.oidc;

import com.nimbusds.jose.RemoteKeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The public keys of an identity provider, found by its metadata (OpenID Connect Discovery, section
 * 4). They are fetched again every five minutes, and when a token names a key that is not among
 * them, but at most every five seconds. While the provider is away they stay good for an hour.
 * Thread-safe; blocks at most two threads at a time, whatever strangers send.
 */
final class IssuerKeys implements JWKSource<SecurityContext>, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(IssuerKeys.class);

  private static final long REFRESH_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long OUTAGE_NANOS = Duration.ofHours(1).toNanos();
  private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

  /** Devices' lookups run on the same threads, and must not all wait for a provider. */
  private static final int MAX_WAITING = 2;

  /** In bytes: a key takes a kilobyte. */
  private static final long MAX_ANSWER = 512 * 1024;

  private final String issuer;
  private final Duration timeout;
  private final JsonMapper mapper;
  private final LongSupplier nanoTime;
  private final ExecutorService executor =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("oidc-", 0).factory());
  private final HttpClient client;
  private final Semaphore waiting = new Semaphore(MAX_WAITING);

  private volatile @Nullable Keys keys;

  /** The last attempt to fetch keys; guarded by this object for writing. */
  private volatile Attempt last;

  /**
   * @param issuer the provider, as it names itself
   * @param timeout of one answer of the provider, to its last byte
   * @param nanoTime as {@link System#nanoTime}
   */
  IssuerKeys(String issuer, Duration timeout, JsonMapper mapper, LongSupplier nanoTime) {
    this.issuer = issuer;
    this.timeout = timeout;
    this.mapper = mapper;
    this.nanoTime = nanoTime;
    this.last = new Attempt(nanoTime.getAsLong() - PAUSE_NANOS, "nobody has asked yet");
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .executor(executor)
            .build();
  }

  /**
   * Fetches the keys soon, so that a wrong setting is in the log and the first caller waits less.
   */
  void warmUp() {
    executor.execute(() -> refresh(null));
  }

  @Override
  public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context)
      throws RemoteKeySourceException {
    Keys known = keys;
    boolean isRefreshed = true;
    if (known == null || isOlder(known, REFRESH_NANOS)) {
      isRefreshed = refresh(known);
      known = keys;
    }
    if (known == null || isOlder(known, OUTAGE_NANOS)) {
      throw unavailable(isRefreshed);
    }
    List<JWK> found = selector.select(known.set);
    if (found.isEmpty()) {
      isRefreshed = refresh(known);
      found = selector.select(known(known).set);
      if (found.isEmpty() && (!isRefreshed || !last.failure.isEmpty())) {
        // The provider may have a new key.
        throw unavailable(isRefreshed);
      }
    }
    return found;
  }

  @Override
  public void close() {
    client.shutdownNow();
    executor.shutdownNow();
  }

  private Keys known(Keys before) {
    Keys now = keys;
    return now == null ? before : now;
  }

  private boolean isOlder(Keys known, long nanos) {
    return nanoTime.getAsLong() - known.nanos > nanos;
  }

  private RemoteKeySourceException unavailable(boolean isRefreshed) {
    String reason = isRefreshed ? last.failure : "others wait for them already";
    return new RemoteKeySourceException("No keys of %s: %s".formatted(issuer, reason), null);
  }

  /**
   * Fetches the keys, unless somebody else just did.
   *
   * @param before the keys that are not enough; null if there are none
   * @return false if so many wait for keys that this thread did not
   */
  private boolean refresh(@Nullable Keys before) {
    if (!waiting.tryAcquire()) {
      return false;
    }
    try {
      fetch(before);
      return true;
    } finally {
      waiting.release();
    }
  }

  @SuppressWarnings("ReferenceEquality")
  private synchronized void fetch(@Nullable Keys before) {
    if (keys != before || nanoTime.getAsLong() - last.nanos < PAUSE_NANOS) {
      return;
    }
    try {
      JWKSet fetched = JWKSet.parse(text(keysAddress()));
      keys = new Keys(fetched, nanoTime.getAsLong());
      last = new Attempt(nanoTime.getAsLong(), "");
      LOG.debug("{} has {} keys", issuer, fetched.size());
    } catch (IOException | ParseException | RuntimeException e) {
      last = new Attempt(nanoTime.getAsLong(), String.valueOf(e.getMessage()));
      LOG.warn("Tokens of {} cannot be verified: {}", issuer, last.failure);
    }
  }

  private URI keysAddress() throws IOException {
    String base = issuer.endsWith("/") ? issuer.substring(0, issuer.length() - 1) : issuer;
    JsonNode metadata =
        mapper.readTree(text(URI.create(base + "/.well-known/openid-configuration")));
    String named = metadata.path("issuer").asString("");
    if (!named.equals(issuer)) {
      throw new IOException(
          "the provider names itself \"%s\"; artifact-server.oidc.issuer must be exactly that"
              .formatted(named));
    }
    String keysAddress = metadata.path("jwks_uri").asString("");
    try {
      URI address = URI.create(keysAddress);
      if (OidcProperties.isSafe(address)) {
        return address;
      }
    } catch (IllegalArgumentException e) {
      // As below.
    }
    throw new IOException("the provider's jwks_uri is no https address: " + keysAddress);
  }

  private String text(URI address) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(address).header("Accept", "application/json").build();
    CompletableFuture<HttpResponse<String>> answer =
        client.sendAsync(
            request,
            BodyHandlers.limiting(BodyHandlers.ofString(StandardCharsets.UTF_8), MAX_ANSWER));
    try {
      // The only clock: the client's own would begin a moment earlier or later.
      HttpResponse<String> response = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      if (response.statusCode() != 200) {
        throw new IOException("%s answered %d".formatted(address, response.statusCode()));
      }
      return response.body();
    } catch (ExecutionException e) {
      throw new IOException("%s: %s".formatted(address, e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException("%s does not answer within %s".formatted(address, timeout), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted", e);
    } finally {
      answer.cancel(true);
    }
  }

  private record Keys(JWKSet set, long nanos) {}

  /**
   * @param failure why it failed; empty if it did not
   */
  private record Attempt(long nanos, String failure) {}
}
