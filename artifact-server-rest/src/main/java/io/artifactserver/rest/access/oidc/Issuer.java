package io.artifactserver.rest.access.oidc;

import com.nimbusds.jose.RemoteKeySourceException;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import io.artifactserver.rest.access.IssuerUnavailableException;
import java.io.IOException;
import java.net.URI;
import java.text.ParseException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The metadata that an identity provider publishes (OpenID Connect Discovery, section 4), and its
 * public keys. Both are fetched again every five minutes, and when a token names a key that is not
 * among them, but at most every five seconds. While the provider is away they stay good for an
 * hour. Thread-safe; blocks at most two threads at a time, whatever strangers send.
 */
final class Issuer implements JWKSource<SecurityContext> {
  private static final Logger LOG = LoggerFactory.getLogger(Issuer.class);

  private static final long REFRESH_NANOS = Duration.ofMinutes(5).toNanos();
  private static final long OUTAGE_NANOS = Duration.ofHours(1).toNanos();
  private static final long PAUSE_NANOS = Duration.ofSeconds(5).toNanos();

  /** Devices' lookups run on the same threads, and must not all wait for a provider. */
  private static final int MAX_WAITING = 2;

  private final String name;
  private final IssuerClient client;
  private final JsonMapper mapper;
  private final LongSupplier nanoTime;
  private final Semaphore waiting = new Semaphore(MAX_WAITING);

  private volatile @Nullable Published published;

  /** The last attempt to fetch keys; guarded by this object for writing. */
  private volatile Attempt last;

  /**
   * @param name of the provider, as it names itself
   * @param nanoTime as {@link System#nanoTime}
   */
  Issuer(String name, IssuerClient client, JsonMapper mapper, LongSupplier nanoTime) {
    this.name = name;
    this.client = client;
    this.mapper = mapper;
    this.nanoTime = nanoTime;
    this.last = new Attempt(nanoTime.getAsLong() - PAUSE_NANOS, "nobody has asked yet");
  }

  /** Fetches all of it soon, so that a wrong setting is in the log and callers wait less. */
  void warmUp() {
    client.execute(() -> refresh(null));
  }

  /**
   * Returns the provider's metadata. Blocks for some seconds at most.
   *
   * @throws IssuerUnavailableException if it cannot be had
   */
  JsonNode metadata() {
    try {
      return published().metadata;
    } catch (RemoteKeySourceException e) {
      throw new IssuerUnavailableException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public List<JWK> get(JWKSelector selector, @Nullable SecurityContext context)
      throws RemoteKeySourceException {
    Published known = published();
    List<JWK> found = selector.select(known.keys);
    if (found.isEmpty()) {
      boolean isRefreshed = refresh(known);
      Published now = published;
      found = selector.select(now == null ? known.keys : now.keys);
      if (found.isEmpty() && (!isRefreshed || !last.failure.isEmpty())) {
        // The provider may have a new key.
        throw unavailable(isRefreshed);
      }
    }
    return found;
  }

  private Published published() throws RemoteKeySourceException {
    Published known = published;
    boolean isRefreshed = true;
    if (known == null || isOlder(known, REFRESH_NANOS)) {
      isRefreshed = refresh(known);
      known = published;
    }
    if (known == null || isOlder(known, OUTAGE_NANOS)) {
      throw unavailable(isRefreshed);
    }
    return known;
  }

  private boolean isOlder(Published known, long nanos) {
    return nanoTime.getAsLong() - known.nanos > nanos;
  }

  private RemoteKeySourceException unavailable(boolean isRefreshed) {
    String reason = isRefreshed ? last.failure : "others wait for it already";
    return new RemoteKeySourceException("No keys of %s: %s".formatted(name, reason), null);
  }

  /**
   * Fetches all of it, unless somebody else just did.
   *
   * @param before the state that was not enough; null if nothing was fetched yet
   * @return false if so many wait for it that this thread did not
   */
  private boolean refresh(@Nullable Published before) {
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
  private synchronized void fetch(@Nullable Published before) {
    if (published != before || nanoTime.getAsLong() - last.nanos < PAUSE_NANOS) {
      return;
    }
    try {
      JsonNode metadata = fetchMetadata();
      JWKSet keys = JWKSet.parse(client.get(address(metadata, "jwks_uri")));
      published = new Published(metadata, keys, nanoTime.getAsLong());
      last = new Attempt(nanoTime.getAsLong(), "");
      LOG.debug("{} has {} keys", name, keys.size());
    } catch (IOException | ParseException | RuntimeException e) {
      last = new Attempt(nanoTime.getAsLong(), String.valueOf(e.getMessage()));
      LOG.warn("Tokens of {} cannot be verified: {}", name, last.failure);
    }
  }

  private JsonNode fetchMetadata() throws IOException {
    String base = name.endsWith("/") ? name.substring(0, name.length() - 1) : name;
    JsonNode metadata =
        mapper.readTree(client.get(URI.create(base + "/.well-known/openid-configuration")));
    String named = metadata.path("issuer").asString("");
    if (!named.equals(name)) {
      throw new IOException(
          "the provider names itself \"%s\"; artifact-server.oidc.issuer must be exactly that"
              .formatted(named));
    }
    return metadata;
  }

  /**
   * Returns an address that the metadata names.
   *
   * @throws IOException if it names none on which nobody can listen
   */
  static URI address(JsonNode metadata, String property) throws IOException {
    String text = metadata.path(property).asString("");
    try {
      URI address = URI.create(text);
      if (OidcProperties.isSafe(address)) {
        return address;
      }
    } catch (IllegalArgumentException e) {
      // As below.
    }
    throw new IOException("the provider's %s is no https address: %s".formatted(property, text));
  }

  private record Published(JsonNode metadata, JWKSet keys, long nanos) {}

  /**
   * @param failure why it failed; empty if it did not
   */
  private record Attempt(long nanos, String failure) {}
}
