package io.artifactserver.storage.cache;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the pieces that entries ask for, a bounded number at a time. Thread-safe.
 *
 * <p>Pieces that a reader waits for go first. What nobody waits for yet takes half of the fetches
 * at most, so a reader of a cold blob never queues behind the filling of others. Entries take
 * turns, a piece each.
 */
final class PieceFetches implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PieceFetches.class);
  private static final int BUFFER_LENGTH = 64 * 1024;

  private final BlobStore remote;
  private final CacheEntries entries;
  private final CacheCounters counters;
  private final int maxFetches;
  private final ExecutorService executor =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cache-fetch-", 0).factory());
  private final AtomicBoolean refusing = new AtomicBoolean();
  private final Set<CacheEntry> urgent = new LinkedHashSet<>();
  private final Set<CacheEntry> wanted = new LinkedHashSet<>();
  private int running;
  private int runningAhead;
  private boolean closed;

  /**
   * @param maxFetches at a time, at least 2
   */
  PieceFetches(BlobStore remote, CacheEntries entries, CacheCounters counters, int maxFetches) {
    this.remote = remote;
    this.entries = entries;
    this.counters = counters;
    this.maxFetches = maxFetches;
  }

  /** Sees to what the entry asks for. Does not block. */
  void schedule(CacheEntry entry) {
    boolean hasUrgent = entry.hasUrgent();
    boolean hasWanted = entry.hasWanted();
    if (hasUrgent || hasWanted) {
      synchronized (this) {
        if (hasUrgent) {
          urgent.add(entry);
        }
        if (hasWanted) {
          wanted.add(entry);
        }
        startOneIfUseful();
      }
    }
  }

  /** Begins no fetch any more, and fails those under way. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    executor.shutdownNow();
  }

  private void startOneIfUseful() {
    if (!closed && running < maxFetches && (!urgent.isEmpty() || mayRunAhead())) {
      running++;
      executor.execute(this::work);
    }
  }

  private boolean mayRunAhead() {
    return !wanted.isEmpty() && runningAhead < maxFetches / 2;
  }

  private void work() {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);
    Fetch fetch = next(null);
    while (fetch != null) {
      run(fetch.entry(), fetch.piece(), buffer);
      fetch = next(fetch);
    }
  }

  private synchronized @Nullable Fetch next(@Nullable Fetch last) {
    if (last != null && last.isAhead()) {
      runningAhead--;
    }
    Fetch next = claim(urgent, false);
    if (next == null && mayRunAhead()) {
      next = claim(wanted, true);
    }
    if (next == null) {
      running--;
    } else {
      if (next.isAhead()) {
        runningAhead++;
      }
      startOneIfUseful();
    }
    return next;
  }

  /** Of the entry that waited for its turn longest, which then waits behind the others. */
  private @Nullable Fetch claim(Set<CacheEntry> asking, boolean isAhead) {
    while (!closed && !asking.isEmpty()) {
      CacheEntry entry = asking.iterator().next();
      asking.remove(entry);
      int piece = isAhead ? entry.claimWanted() : entry.claimUrgent();
      if (piece >= 0) {
        asking.add(entry);
        return new Fetch(entry, piece, isAhead);
      }
    }
    return null;
  }

  private void run(CacheEntry entry, int piece, ByteBuffer buffer) {
    try {
      if ((entry.isStored(piece) && verify(entry, piece, buffer)) || fetch(entry, piece, buffer)) {
        if (entry.fetched(piece)) {
          complete(entry);
        }
      } else {
        entry.refused(piece);
      }
    } catch (StorageException e) {
      failed(entry, piece, e);
    } catch (RuntimeException | Error e) {
      // Whoever waits must hear of it, whatever it is.
      failed(
          entry,
          piece,
          new StorageUnavailable(
              CachingBlobStore.NAME, "piece %d of %s: %s".formatted(piece, entry.file(), e), e));
    }
  }

  private boolean verify(CacheEntry entry, int piece, ByteBuffer buffer) {
    String damage = "it is not what was written";
    try {
      if (entry.file().verify(piece, buffer)) {
        return true;
      }
    } catch (IOException e) {
      damage = String.valueOf(e);
    }
    counters.damaged();
    if (entry.damaged(piece)) {
      LOG.warn("Piece {} of {} is fetched anew: {}", piece, entry.file(), damage);
    }
    return false;
  }

  /** Returns false if the disk, or the bound, does not take the piece. */
  private boolean fetch(CacheEntry entry, int piece, ByteBuffer buffer) throws StorageException {
    if (!entries.makeRoom(entry, piece)) {
      refusing("there is no room that nobody uses", null);
      return false;
    }
    try {
      entry.createFile();
      try (RangeReader source = remote.blob(entry.ref()).open(entry.file().range(piece))) {
        entry.file().write(piece, source, buffer);
      }
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw new StorageUnavailable(CachingBlobStore.NAME, "the server stops", e);
      }
      refusing(String.valueOf(e), e);
      if (e instanceof NoSuchFileException) {
        entries.discard(entry);
      }
      return false;
    }
    counters.filled(entry.file().range(piece).length());
    if (refusing.compareAndSet(true, false)) {
      LOG.info("The cache takes blobs again");
    }
    return true;
  }

  private void complete(CacheEntry entry) {
    try {
      // Only now does the disk tell whether it took every byte.
      entry.file().force();
      entry.completed();
    } catch (IOException e) {
      refusing(String.valueOf(e), e);
      entries.discard(entry);
    }
  }

  private void failed(CacheEntry entry, int piece, StorageException failure) {
    boolean isHeard = entry.failed(piece, failure);
    if (!isHeard) {
      LOG.warn(
          "The filling of {} stopped; the next request goes on with it", entry.file(), failure);
    }
    if (failure instanceof BlobNotFound) {
      entries.discard(entry);
    }
  }

  private void refusing(String reason, @Nullable Throwable cause) {
    if (refusing.compareAndSet(false, true)) {
      LOG.warn(
          "The cache takes no more ({}): such blobs are served straight from the {} store",
          reason,
          remote.name(),
          cause);
    }
  }

  /**
   * A claimed piece.
   *
   * @param isAhead whether nobody waited for it when it was claimed
   */
  private record Fetch(CacheEntry entry, int piece, boolean isAhead) {}
}
