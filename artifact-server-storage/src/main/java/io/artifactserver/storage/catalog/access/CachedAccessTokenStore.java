package io.artifactserver.storage.catalog.access;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.TokenDigest;
import io.artifactserver.core.catalog.Labels;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.storage.catalog.CatalogProperties;
import io.artifactserver.storage.catalog.LookupCache;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Remembers tokens that were found, for a bounded time and number of entries. Thread-safe. A token
 * revoked here is forgotten at once; one revoked by another server, after the entry's time.
 *
 * <p>Of all tokens it has a fingerprint in memory, so that a good one is told from a wrong one
 * without asking the database. Tokens that other servers add are among them within seconds.
 */
public final class CachedAccessTokenStore implements AccessTokenStore {
  private final AccessTokenStore store;
  private final LookupCache<String, AccessToken> tokens;
  private final TokenFingerprints fingerprints;

  /**
   * @param store that is asked for what is not cached
   * @param refreshes runs the queries that nobody waits for
   */
  public CachedAccessTokenStore(
      AccessTokenStore store, CatalogProperties properties, Executor refreshes) {
    this.store = store;
    this.tokens = new LookupCache<>(store::find, properties, refreshes);
    this.fingerprints = new TokenFingerprints(store, System::nanoTime);
  }

  /** Looks which tokens were added elsewhere. Asks the database. */
  @Scheduled(fixedDelay = TokenFingerprints.LOOK_MILLIS)
  public void refresh() {
    fingerprints.refresh();
  }

  @Override
  public boolean knows(TokenDigest digest) {
    return fingerprints.contains(digest.fingerprint());
  }

  @Override
  public void forget(TokenDigest digest) {
    fingerprints.remove(digest.fingerprint());
  }

  @Override
  public List<TokenDigest> digests(String after, int limit) {
    return store.digests(after, limit);
  }

  @Override
  public List<TokenDigest> digestsSince(Duration age) {
    return store.digestsSince(age);
  }

  @Override
  public Optional<AccessToken> find(String id) {
    return tokens.find(id);
  }

  @Override
  public Optional<AccessToken> find(String id, Reach reach) {
    return tokens.find(id, reach);
  }

  @Override
  public List<AccessToken> list(Position after, int limit) {
    return store.list(after, limit);
  }

  @Override
  public List<AccessToken> admins() {
    return store.admins();
  }

  @Override
  public Map<String, Instant> lastUses(Collection<String> ids) {
    return store.lastUses(ids);
  }

  @Override
  public void used(Map<String, Instant> uses) {
    store.used(uses);
  }

  @Override
  public boolean label(String id, Labels labels) {
    try {
      return store.label(id, labels);
    } finally {
      tokens.forget(id);
    }
  }

  @Override
  public boolean replace(String id, AccessToken replacement, Instant until) {
    try {
      boolean isReplaced = store.replace(id, replacement, until);
      if (isReplaced) {
        fingerprints.add(replacement.tokenDigest().fingerprint());
      }
      return isReplaced;
    } finally {
      tokens.forget(id);
    }
  }

  @Override
  public void add(AccessToken token) {
    store.add(token);
    fingerprints.add(token.tokenDigest().fingerprint());
  }

  @Override
  public boolean isRevoked(String id) {
    return store.isRevoked(id);
  }

  @Override
  public boolean revoke(String id) {
    try {
      return store.revoke(id);
    } finally {
      tokens.forget(id);
    }
  }
}
