package io.artifactserver.storage.catalog;

import com.github.benmanes.caffeine.cache.AsyncCacheLoader;
import com.github.benmanes.caffeine.cache.AsyncLoadingCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.catalog.Reach;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers what was found in the database, for a bounded time and number of entries; for longer
 * while the database cannot be asked. A miss is asked for again. Thread-safe.
 *
 * <p>No query runs under a lock of the cache: only those wait for a query who ask for the same key.
 * An entry that is in use is asked for again before its time is over, by a thread that nobody waits
 * for. An entry that is {@link #forget forgotten} while a query for it runs is not remembered.
 */
public final class LookupCache<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(LookupCache.class);

  /** So often a database that failed is tried again. */
  private static final long PROBE_NANOS = 1_000_000_000;

  private final Function<K, Optional<V>> query;
  private final long ttlNanos;
  private final long staleNanos;
  private final Executor refreshes;
  private final Ticker ticker;
  private final AsyncLoadingCache<K, @Nullable Known<V>> known;
  private final AtomicLong probedAt = new AtomicLong();
  private volatile boolean isUnavailable;

  /**
   * @param query asks the database
   * @param properties how many entries are kept, and for how long
   * @param refreshes runs the queries that nobody waits for
   */
  public LookupCache(
      Function<K, Optional<V>> query, CatalogProperties properties, Executor refreshes) {
    this(query, properties, refreshes, Ticker.systemTicker());
  }

  public LookupCache(
      Function<K, Optional<V>> query,
      CatalogProperties properties,
      Executor refreshes,
      Ticker ticker) {
    this.query = query;
    this.ttlNanos = properties.cacheTtl().toNanos();
    this.staleNanos = properties.staleTime().toNanos();
    this.refreshes = refreshes;
    this.ticker = ticker;
    Caffeine<Object, Object> caffeine =
        Caffeine.newBuilder()
            // On the caller: a hop to the common pool every few requests cost 4 KiB ranges 8 %.
            .executor(Runnable::run)
            .ticker(ticker)
            .maximumSize(properties.cacheSize())
            .expireAfterWrite(properties.cacheTtl().plus(properties.staleTime()));
    Duration age = properties.cacheTtl().dividedBy(2);
    if (age.isPositive()) {
      caffeine.refreshAfterWrite(age);
    }
    this.known = caffeine.buildAsync(new Refresher());
  }

  /**
   * @param atNanos when the database said so, by the ticker
   */
  private record Known<V>(V value, long atNanos) {}

  /** As {@link #peek} or {@link #find}, as far as the lookup may go. */
  public Optional<V> find(K key, Reach reach) {
    return reach == Reach.MEMORY ? peek(key) : find(key);
  }

  /** Returns the remembered value if it is still good. No I/O. */
  public Optional<V> peek(K key) {
    @Nullable Known<V> entry = known.synchronous().getIfPresent(key);
    if (entry == null) {
      return Optional.empty();
    }
    long age = ticker.read() - entry.atNanos;
    if (age < ttlNanos) {
      return Optional.of(entry.value);
    }
    if (isUnavailable && age < ttlNanos + staleNanos) {
      probe(key);
      return Optional.of(entry.value);
    }
    return Optional.empty();
  }

  /** Returns the remembered value if it is still good, or else asks the database. Blocks. */
  public Optional<V> find(K key) {
    while (true) {
      Optional<V> good = peek(key);
      if (good.isPresent()) {
        return good;
      }
      CompletableFuture<@Nullable Known<V>> mine = new CompletableFuture<>();
      @Nullable CompletableFuture<@Nullable Known<V>> other = known.asMap().putIfAbsent(key, mine);
      if (other == null) {
        return ask(key, null, mine);
      }
      @Nullable Known<V> old = joined(other);
      if (old == null || ticker.read() - old.atNanos < ttlNanos) {
        return Optional.ofNullable(old).map(Known::value);
      }
      if (known.asMap().replace(key, other, mine)) {
        return ask(key, old, mine);
      }
    }
  }

  /** Completes the future, whatever happens: others may wait for it. */
  private Optional<V> ask(
      K key, @Nullable Known<V> old, CompletableFuture<@Nullable Known<V>> mine) {
    try {
      @Nullable Known<V> found = query(key, old);
      mine.complete(found);
      return Optional.ofNullable(found).map(Known::value);
    } catch (CatalogUnavailableException e) {
      if (old == null || ticker.read() - old.atNanos >= ttlNanos + staleNanos) {
        mine.completeExceptionally(e);
        throw e;
      }
      mine.complete(old);
      return Optional.of(old.value);
    } catch (RuntimeException | Error e) {
      mine.completeExceptionally(e);
      throw e;
    }
  }

  /** Keeps the same value while nothing has changed, because others remember things by it. */
  private @Nullable Known<V> query(K key, @Nullable Known<V> old) {
    try {
      long now = ticker.read();
      @Nullable V found = query.apply(key).orElse(null);
      isUnavailable = false;
      if (found == null) {
        return null;
      }
      return new Known<>(old != null && found.equals(old.value) ? old.value : found, now);
    } catch (CatalogUnavailableException e) {
      isUnavailable = true;
      throw e;
    }
  }

  /** Sees whether the database is back, now and then. */
  private void probe(K key) {
    long now = ticker.read();
    long last = probedAt.get();
    if (now - last >= PROBE_NANOS && probedAt.compareAndSet(last, now)) {
      refreshes.execute(() -> known.synchronous().refresh(key));
    }
  }

  public void forget(K key) {
    known.synchronous().invalidate(key);
  }

  public void forgetAll(Iterable<? extends K> keys) {
    known.synchronous().invalidateAll(keys);
  }

  public void forgetAll() {
    known.synchronous().invalidateAll();
  }

  private static <T> @Nullable T joined(CompletableFuture<@Nullable T> future) {
    try {
      return future.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof CatalogUnavailableException unavailable ? unavailable : e;
    }
  }

  private final class Refresher implements AsyncCacheLoader<K, @Nullable Known<V>> {
    @Override
    public CompletableFuture<? extends @Nullable Known<V>> asyncLoad(K key, Executor executor) {
      throw new UnsupportedOperationException("The caller runs the query");
    }

    @Override
    public CompletableFuture<? extends @Nullable Known<V>> asyncReload(
        K key, @Nullable Known<V> old, Executor executor) {
      CompletableFuture<@Nullable Known<V>> future = new CompletableFuture<>();
      refreshes.execute(() -> reload(key, old, future));
      return future;
    }

    private void reload(
        K key, @Nullable Known<V> old, CompletableFuture<@Nullable Known<V>> future) {
      try {
        future.complete(query(key, old));
      } catch (RuntimeException | Error e) {
        // The entry stays until its time is over. The cache would log each of them as a warning.
        LOG.debug("Cannot refresh {}", key, e);
        future.cancel(false);
      }
    }
  }
}
