package io.artifactserver.storage.catalog.access;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.access.TokenDigest;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fingerprints of all tokens, 8 bytes each: a million takes 8 MB, and up to 24 MB for a moment
 * while some are added. Tokens beyond a million are unknown here. Thread-safe.
 */
final class TokenFingerprints {
  static final long LOOK_MILLIS = 5_000;
  static final int MAX = 1_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(TokenFingerprints.class);

  private static final int PAGE = 10_000;

  /** Six looks, so that a look that fails or a slow transaction misses no token. */
  private static final Duration RECENT = Duration.ofSeconds(30);

  /** Tokens that other servers revoked are gone after this time. */
  private static final long RELOAD_NANOS = Duration.ofHours(1).toNanos();

  private final AccessTokenStore store;
  private final LongSupplier nanoTime;
  private final Set<Long> added = ConcurrentHashMap.newKeySet();
  private final Set<Long> removed = ConcurrentHashMap.newKeySet();

  private volatile long[] sorted = {};

  /** When all were read, and when the recent ones were; used by one thread. */
  private long loadedAt;

  private long lookedAt;
  private boolean isLoaded;

  /**
   * @param nanoTime as {@link System#nanoTime}
   */
  TokenFingerprints(AccessTokenStore store, LongSupplier nanoTime) {
    this.store = store;
    this.nanoTime = nanoTime;
  }

  boolean contains(long fingerprint) {
    return !removed.contains(fingerprint)
        && (added.contains(fingerprint) || Arrays.binarySearch(sorted, fingerprint) >= 0);
  }

  void add(long fingerprint) {
    removed.remove(fingerprint);
    if (Arrays.binarySearch(sorted, fingerprint) < 0 && sorted.length + added.size() < MAX) {
      added.add(fingerprint);
    }
  }

  void remove(long fingerprint) {
    if (contains(fingerprint)) {
      removed.add(fingerprint);
    }
  }

  /** Asks the database; for one thread at a time. */
  void refresh() {
    long now = nanoTime.getAsLong();
    try {
      if (!isLoaded
          || now - loadedAt > RELOAD_NANOS
          || now - lookedAt > RECENT.dividedBy(2).toNanos()) {
        load();
        loadedAt = now;
        isLoaded = true;
      }
      Duration sinceLoad = Duration.ofNanos(nanoTime.getAsLong() - now);
      for (TokenDigest each : store.digestsSince(RECENT.plus(sinceLoad))) {
        add(each.fingerprint());
      }
      lookedAt = now;
      merge();
    } catch (CatalogUnavailableException e) {
      LOG.debug("Tokens that were added elsewhere are looked for later", e);
    }
  }

  private void load() {
    long[] all = {};
    String after = "";
    List<TokenDigest> page;
    do {
      page = store.digests(after, PAGE);
      int count = all.length;
      all = Arrays.copyOf(all, count + page.size());
      for (TokenDigest each : page) {
        all[count++] = each.fingerprint();
        after = each.id();
      }
    } while (page.size() == PAGE && all.length < MAX);
    Arrays.sort(all);
    sorted = all;
  }

  /** Most looks find nothing to do here. */
  private void merge() {
    Set<Long> more = Set.copyOf(added);
    Set<Long> less = Set.copyOf(removed);
    if (more.isEmpty() && less.isEmpty()) {
      return;
    }
    long[] merged = Arrays.copyOf(sorted, sorted.length + more.size());
    int count = 0;
    for (long each : sorted) {
      if (less.isEmpty() || !less.contains(each)) {
        merged[count++] = each;
      }
    }
    for (long each : more) {
      if (!less.contains(each)) {
        merged[count++] = each;
      }
    }
    Arrays.sort(merged, 0, count);
    sorted = count == merged.length ? merged : Arrays.copyOf(merged, count);
    added.removeAll(more);
    removed.removeAll(less);
  }
}
