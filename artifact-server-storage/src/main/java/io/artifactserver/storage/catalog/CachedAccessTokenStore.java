package io.artifactserver.storage.catalog;

import com.github.benmanes.caffeine.cache.Cache;
import io.artifactserver.core.access.AccessToken;
import io.artifactserver.core.access.AccessTokenStore;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers tokens that were found, for a bounded time and number of entries. Thread-safe. A token
 * revoked here is forgotten at once; one revoked by another server, after the entry's time.
 */
public final class CachedAccessTokenStore implements AccessTokenStore {
  private final AccessTokenStore store;
  private final Cache<String, @Nullable AccessToken> tokens;

  /**
   * @param store that is asked for what is not cached
   */
  public CachedAccessTokenStore(AccessTokenStore store, CatalogProperties properties) {
    this.store = store;
    this.tokens = CachedArtifactCatalog.cache(properties);
  }

  @Override
  public Optional<AccessToken> peek(String id) {
    return Optional.ofNullable(tokens.getIfPresent(id));
  }

  @Override
  public Optional<AccessToken> find(String id) {
    return Optional.ofNullable(tokens.get(id, key -> store.find(key).orElse(null)));
  }

  @Override
  public List<AccessToken> list() {
    return store.list();
  }

  @Override
  public void add(AccessToken token) {
    store.add(token);
  }

  @Override
  public boolean remove(String id) {
    try {
      return store.remove(id);
    } finally {
      tokens.invalidate(id);
    }
  }
}
