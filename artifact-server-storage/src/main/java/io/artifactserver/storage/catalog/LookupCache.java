package io.artifactserver.storage.catalog;

import com.github.benmanes.caffeine.cache.AsyncCacheLoader;
import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers what was found in the database, for a bounded time and number of entries. What is not
 * found is asked for again. Thread-safe.
 *
 * <p>No query runs under a lock of the cache: only those wait for a query who ask for the same key.
 * An entry that is in use is asked for again before its time is over, by a thread that nobody waits
 * for. What is {@link #forget forgotten} while a query for it runs is not remembered.
 */
final class LookupCache<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(LookupCache.class);

  /** An entry in use that is older than this part of its time is refreshed. */
  private static final int REFRESH_NUMERATOR = 1;

  private static final int REFRESH_DENOMINATOR = 2;

  private final Function<K, Optional<V>> query;
  private final AsyncLoadingCache<K, @Nullable V> known;

  /**
   * @param query asks the database
   * @param size most entries
   * @param ttl how long an entry is good
   * @param refreshes runs the queries that nobody waits for
   */
  LookupCache(Function<K, Optional<V>> query, int size, Duration ttl, Executor refreshes) {
    this(query, size, ttl, refreshes, Ticker.systemTicker());
  }

  LookupCache(
      Function<K, Optional<V>> query, int size, Duration ttl, Executor refreshes, Ticker ticker) {
    this.query = query;
    Caffeine<Object, Object> caffeine =
        Caffeine.newBuilder()
            // On the caller: a hop to the common pool every few requests cost 4 KiB ranges 8 %.
            .executor(Runnable::run)
            .ticker(ticker)
            .maximumSize(size)
            .expireAfterWrite(ttl);
    Duration age = ttl.multipliedBy(REFRESH_NUMERATOR).dividedBy(REFRESH_DENOMINATOR);
    if (age.isPositive()) {
      caffeine.refreshAfterWrite(age);
    }
    this.known = caffeine.buildAsync(new Refresher(refreshes));
  }

  /** What is remembered. No I/O. */
  Optional<V> peek(K key) {
    return Optional.ofNullable(known.synchronous().getIfPresent(key));
  }

  /** What is remembered, or else what the database says. Blocks. */
  Optional<V> find(K key) {
    CompletableFuture<@Nullable V> mine = new CompletableFuture<>();
    @Nullable CompletableFuture<@Nullable V> other = known.asMap().putIfAbsent(key, mine);
    if (other != null) {
      return Optional.ofNullable(joined(other));
    }
    try {
      Optional<V> found = query.apply(key);
      mine.complete(found.orElse(null));
      return found;
    } catch (RuntimeException | Error e) {
      mine.completeExceptionally(e);
      throw e;
    }
  }

  void forget(K key) {
    known.synchronous().invalidate(key);
  }

  void forgetAll(Iterable<? extends K> keys) {
    known.synchronous().invalidateAll(keys);
  }

  void forgetAll() {
    known.synchronous().invalidateAll();
  }

  private static <V> @Nullable V joined(CompletableFuture<@Nullable V> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof CatalogUnavailableException unavailable ? unavailable : e;
    }
  }

  /** Keeps the same object while nothing has changed, because others remember things by it. */
  private final class Refresher implements AsyncCacheLoader<K, @Nullable V> {
    private final Executor refreshes;

    private Refresher(Executor refreshes) {
      this.refreshes = refreshes;
    }

    @Override
    public CompletableFuture<? extends @Nullable V> asyncLoad(K key, Executor executor) {
      throw new UnsupportedOperationException("Whoever asks runs the query");
    }

    @Override
    public CompletableFuture<? extends @Nullable V> asyncReload(
        K key, @Nullable V old, Executor executor) {
      CompletableFuture<@Nullable V> future = new CompletableFuture<>();
      refreshes.execute(() -> reload(key, old, future));
      return future;
    }

    private void reload(K key, @Nullable V old, CompletableFuture<@Nullable V> future) {
      try {
        @Nullable V found = query.apply(key).orElse(null);
        future.complete(Objects.equals(found, old) ? old : found);
      } catch (RuntimeException | Error e) {
        // The entry stays until its time is over. The cache would log each of them as a warning.
        LOG.debug("Cannot refresh {}", key, e);
        future.cancel(false);
      }
    }
  }
}
