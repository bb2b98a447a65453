package io.artifactserver.core.limit;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The limits of repositories, in memory for every download and in the database. A change counts at
 * once. Thread-safe; right as long as every change comes through the one server that an
 * installation has.
 */
public final class LimitBook {
  private final LimitStore store;
  private final QueueBounds queueBounds;
  private final LongSupplier nanoTime;
  private final Timer timer;

  /** The bucket of all downloads together; empty if there is no limit. */
  private final List<TokenBucket> serverBuckets;

  private final Lane open;

  /** Immutable maps, of those repositories that have limits. */
  private final AtomicReference<Map<String, Entry>> entries = new AtomicReference<>(Map.of());

  /**
   * Reads all limits from the database.
   *
   * @param serverRate of all downloads together, in bytes per second; {@link
   *     RepositoryLimits#NO_LIMIT} for no limit
   * @param queueBounds of each repository's queue
   * @param nanoTime as {@link System#nanoTime}
   * @param timer runs what waits for its bytes
   */
  public LimitBook(
      LimitStore store,
      long serverRate,
      QueueBounds queueBounds,
      LongSupplier nanoTime,
      Timer timer) {
    this.store = store;
    this.queueBounds = queueBounds;
    this.nanoTime = nanoTime;
    this.timer = timer;
    this.serverBuckets =
        serverRate == RepositoryLimits.NO_LIMIT
            ? List.of()
            : List.of(new TokenBucket(serverRate, nanoTime, timer));
    this.open = Lane.open(serverBuckets);
    Map<String, Entry> known = new HashMap<>();
    store.all().forEach((repository, limits) -> known.put(repository, entry(limits)));
    entries.set(Map.copyOf(known));
  }

  /** Returns the limits of a repository. No I/O. */
  public RepositoryLimits limits(String repository) {
    Entry known = entries.get().get(repository);
    return known == null ? RepositoryLimits.NONE : known.limits;
  }

  /**
   * Replaces the limits of a repository, for downloads that run too. Asks the database.
   *
   * @return false if there is no such repository
   */
  public synchronized boolean put(String repository, RepositoryLimits limits) {
    if (!store.put(repository, limits)) {
      return false;
    }
    Map<String, Entry> changed = new HashMap<>(entries.get());
    Entry known = changed.remove(repository);
    if (!limits.equals(RepositoryLimits.NONE)) {
      changed.put(
          repository,
          known == null ? entry(limits) : new Entry(limits, known.bucket, known.queue, known.lane));
    }
    entries.set(Map.copyOf(changed));
    if (known != null) {
      // Those who wait here learn of it, even if nobody comes here any more.
      known.bucket.setRate(limits.bytesPerSecond());
      known.queue.setMost(limits.concurrentDownloads());
    }
    return true;
  }

  /** Whether no repository has limits: then every lane is the open one. No I/O. */
  public boolean isEmpty() {
    return entries.get().isEmpty();
  }

  /** Returns how many downloads wait for their turn. No I/O. */
  public long waiting() {
    return entries.get().values().stream().mapToLong(entry -> entry.queue.waiting()).sum();
  }

  /** Returns the lane of downloads that belong to no repository. */
  public Lane open() {
    return open;
  }

  /** Returns the lane of a repository's downloads as it is now. No I/O. */
  public Lane lane(String repository) {
    Entry known = entries.get().get(repository);
    return known == null ? open : known.lane;
  }

  private Entry entry(RepositoryLimits limits) {
    TokenBucket bucket = new TokenBucket(limits.bytesPerSecond(), nanoTime, timer);
    DownloadQueue queue = new DownloadQueue(limits.concurrentDownloads(), queueBounds);
    List<TokenBucket> buckets =
        serverBuckets.isEmpty() ? List.of(bucket) : List.of(bucket, serverBuckets.getFirst());
    return new Entry(limits, bucket, queue, Lane.limited(buckets, queue));
  }

  private record Entry(
      RepositoryLimits limits, TokenBucket bucket, DownloadQueue queue, Lane lane) {}
}
