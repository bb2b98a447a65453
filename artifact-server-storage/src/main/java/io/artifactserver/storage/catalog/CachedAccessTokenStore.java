package io.artifactserver.storage.catalog;

import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;

/**
 * Remembers tokens that were found, for a bounded time and number of entries. Thread-safe. A token
 * revoked here is forgotten at once; one revoked by another server, after the entry's time.
 */
public final class CachedAccessTokenStore implements AccessTokenStore {
  private final AccessTokenStore store;
  private final LookupCache<String, AccessToken> tokens;

  /**
   * @param store that is asked for what is not cached
   * @param refreshes runs the queries that nobody waits for
   */
  public CachedAccessTokenStore(
      AccessTokenStore store, CatalogProperties properties, Executor refreshes) {
    this.store = store;
    this.tokens = new LookupCache<>(store::find, properties, refreshes);
  }

  @Override
  public Optional<AccessToken> peek(String id) {
    return tokens.peek(id);
  }

  @Override
  public Optional<AccessToken> find(String id) {
    return tokens.find(id);
  }

  @Override
  public List<AccessToken> list() {
    return store.list();
  }

  @Override
  public Map<String, Instant> lastUses() {
    return store.lastUses();
  }

  @Override
  public void used(Map<String, Instant> uses) {
    store.used(uses);
  }

  @Override
  public boolean replace(String id, AccessToken replacement, Instant until) {
    try {
      return store.replace(id, replacement, until);
    } finally {
      tokens.forget(id);
    }
  }

  @Override
  public void add(AccessToken token) {
    store.add(token);
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
