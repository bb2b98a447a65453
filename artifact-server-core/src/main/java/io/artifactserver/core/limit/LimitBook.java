package io.artifactserver.core.limit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The limits of downloads, in memory for every download and in the database. A change counts at
 * once. Thread-safe; right as long as every change comes through the one server that an
 * installation has.
 */
public final class LimitBook {
  /** Most limits that have names: a download is compared with each. */
  public static final int MAX_NAMED = 1000;

  private final LimitStore store;
  private final QueueBounds queueBounds;
  private final LongSupplier nanoTime;
  private final Timer timer;

  /** The bucket of all downloads together; empty if there is no limit. */
  private final List<TokenBucket> serverBuckets;

  private final AtomicReference<LimitTable> table;

  /**
   * Reads all limits from the database.
   *
   * @param serverRate of all downloads together, in bytes per second; {@link
   *     RepositoryLimits#NO_LIMIT} for no limit
   * @param queueBounds of each repository's queue
   * @param nanoTime as {@link System#nanoTime}
   * @param timer runs what waits for its bytes, or looks at what runs
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
        serverRate == RepositoryLimits.NO_LIMIT ? List.of() : List.of(bucket(serverRate));
    Map<String, LimitTable.OfRepository> known = new HashMap<>();
    store.all().forEach((repository, limits) -> known.put(repository, entry(limits)));
    List<LimitTable.Named> named = new ArrayList<>();
    store
        .named()
        .forEach(limit -> named.add(new LimitTable.Named(limit, bucket(limit.bytesPerSecond()))));
    this.table = new AtomicReference<>(new LimitTable(known, named, serverBuckets));
  }

  /** Returns all limits as they are now. No I/O: one volatile read. */
  public LimitTable table() {
    return table.get();
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
    Map<String, LimitTable.OfRepository> changed = new HashMap<>(table().repositories());
    LimitTable.OfRepository known = changed.remove(repository);
    if (!limits.equals(RepositoryLimits.NONE)) {
      changed.put(
          repository,
          known == null
              ? entry(limits)
              : new LimitTable.OfRepository(limits, known.bucket(), known.queue()));
    }
    table.set(new LimitTable(changed, table().entries(), serverBuckets));
    if (known != null) {
      // Those who wait here learn of it, even if nobody comes here any more.
      known.bucket().setRate(limits.bytesPerSecond());
      known.queue().setMost(limits.concurrentDownloads());
    }
    return true;
  }

  /**
   * Sets or replaces the limit of that name, for downloads that run too. Asks the database.
   *
   * @return the limit that was there before
   * @throws IllegalArgumentException if there are too many
   */
  public synchronized Optional<NamedLimit> put(NamedLimit limit) {
    List<LimitTable.Named> changed = new ArrayList<>(table().entries());
    Optional<LimitTable.Named> known = remove(changed, limit.name());
    if (changed.size() >= MAX_NAMED) {
      throw new IllegalArgumentException("There are at most %d limits".formatted(MAX_NAMED));
    }
    store.put(limit);
    boolean isKept = known.isPresent() && known.get().limit().isOfTheSame(limit);
    TokenBucket bucket = isKept ? known.get().bucket() : bucket(limit.bytesPerSecond());
    changed.add(new LimitTable.Named(limit, bucket));
    table.set(new LimitTable(table().repositories(), changed, serverBuckets));
    // Those who wait in a bucket that others pass from now on wait no longer.
    known.ifPresent(before ->
        before.bucket().setRate(isKept ? limit.bytesPerSecond() : RepositoryLimits.NO_LIMIT));
    return known.map(LimitTable.Named::limit);
  }

  /**
   * Takes the limit of that name away, for downloads that run too. Asks the database.
   *
   * @return the deleted limit; empty if there was none
   */
  public synchronized Optional<NamedLimit> delete(String name) {
    List<LimitTable.Named> changed = new ArrayList<>(table().entries());
    Optional<LimitTable.Named> known = remove(changed, name);
    known.ifPresent(before -> {
      store.delete(name);
      table.set(new LimitTable(table().repositories(), changed, serverBuckets));
      before.bucket().setRate(RepositoryLimits.NO_LIMIT);
    });
    return known.map(LimitTable.Named::limit);
  }

  /** Returns how many downloads wait for their turn. No I/O. */
  public long waiting() {
    return table().repositories().values().stream()
        .mapToLong(entry -> entry.queue().waiting())
        .sum();
  }

  private static Optional<LimitTable.Named> remove(List<LimitTable.Named> entries, String name) {
    Optional<LimitTable.Named> known =
        entries.stream().filter(entry -> entry.limit().name().equals(name)).findAny();
    known.ifPresent(entries::remove);
    return known;
  }

  private TokenBucket bucket(long bytesPerSecond) {
    return new TokenBucket(bytesPerSecond, nanoTime, timer);
  }

  private LimitTable.OfRepository entry(RepositoryLimits limits) {
    return new LimitTable.OfRepository(
        limits,
        bucket(limits.bytesPerSecond()),
        new DownloadQueue(limits.concurrentDownloads(), queueBounds, timer));
  }
}
