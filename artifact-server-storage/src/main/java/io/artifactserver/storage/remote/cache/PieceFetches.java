package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fetches the pieces that entries ask for, a bounded number at a time. Thread-safe.
 *
 * <p>Pieces that a reader waits for go first. Pieces that nobody waits for yet take half of the
 * fetches at most, so a reader of a cold blob never queues behind the filling of others. Entries
 * take turns, a piece each.
 */
final class PieceFetches implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PieceFetches.class);
  private static final int BUFFER_LENGTH = 64 * 1024;
  private static final int CLOSE_SECONDS = 5;

  private final BlobStore remote;
  private final CacheEntries entries;
  private final CacheCounters counters;
  private final int maxFetches;
  private final ExecutorService executor =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("cache-fetch-", 0).factory());
  private final InstantSource clock;
  private final AtomicReference<Instant> refused = new AtomicReference<>(Instant.MIN);
  private final Set<CacheEntry> urgent = new LinkedHashSet<>();
  private final Set<CacheEntry> wanted = new LinkedHashSet<>();
  private int running;
  private int runningAhead;
  private boolean closed;

  /**
   * @param maxFetches at a time, at least 2
   */
  PieceFetches(
      BlobStore remote,
      CacheEntries entries,
      CacheCounters counters,
      int maxFetches,
      InstantSource clock) {
    this.remote = remote;
    this.entries = entries;
    this.counters = counters;
    this.maxFetches = maxFetches;
    this.clock = clock;
  }

  /** Sees to what the entry asks for. Does not block. */
  void schedule(CacheEntry entry) {
    boolean hasUrgent = entry.hasUrgent();
    boolean hasWanted = entry.hasWanted();
    if (hasUrgent || hasWanted) {
      synchronized (this) {
        if (!closed) {
          if (hasUrgent) {
            urgent.add(entry);
          }
          if (hasWanted) {
            wanted.add(entry);
          }
          startOneIfUseful();
          return;
        }
      }
      entry.abandon(stopping());
    }
  }

  /** Begins no fetch any more, and fails those under way. */
  @Override
  public void close() {
    List<CacheEntry> asking;
    synchronized (this) {
      closed = true;
      asking = List.copyOf(urgent);
    }
    executor.shutdownNow();
    asking.forEach(entry -> entry.abandon(stopping()));
    try {
      if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("The {} store did not end a read within {} s", remote.name(), CLOSE_SECONDS);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
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

  /** Claims of the entry that waited longest for its turn; it then waits behind the others. */
  private @Nullable Fetch claim(Set<CacheEntry> asking, boolean isAhead) {
    while (!closed && !asking.isEmpty()) {
      CacheEntry entry = asking.iterator().next();
      asking.remove(entry);
      int piece = entry.claim(isAhead);
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
      // Those who wait must hear of it, whatever it is.
      failed(
          entry,
          piece,
          new StorageUnavailable(
              CachingBlobStore.NAME, "piece %d of %s: %s".formatted(piece, entry.file(), e), e));
    }
  }

  private boolean verify(CacheEntry entry, int piece, ByteBuffer buffer) throws StorageUnavailable {
    String damage = "it is not what was written";
    try {
      if (entry.file().verify(piece, buffer)) {
        return true;
      }
    } catch (ClosedByInterruptException e) {
      throw interrupted(e);
    } catch (IOException e) {
      damage = String.valueOf(e);
    }
    counters.damagedPieces.increment();
    if (entry.damaged(piece)) {
      LOG.warn("Fetching piece {} of {} again: {}", piece, entry.file(), damage);
    }
    return false;
  }

  /** Returns false if the disk, or the bound, does not take the piece. */
  private boolean fetch(CacheEntry entry, int piece, ByteBuffer buffer) throws StorageException {
    try (RangeReader source = remote.blob(entry.ref()).open(entry.file().range(piece))) {
      // Behind the opening: a store that is down must not drive out what is there.
      if (!entries.makeRoom(entry, piece)) {
        refusing(entry, "there is no room that nobody uses", null);
        return false;
      }
      entry.createFile();
      entry.file().write(piece, source, buffer);
    } catch (StorageException e) {
      throw e;
    } catch (ClosedByInterruptException e) {
      throw interrupted(e);
    } catch (IOException e) {
      refusing(entry, String.valueOf(e), e);
      if (e instanceof NoSuchFileException) {
        entries.discard(entry);
      }
      return false;
    }
    counters.filledBytes.add(entry.file().range(piece).length());
    taken();
    return true;
  }

  private void complete(CacheEntry entry) {
    try {
      // Only now does the disk tell whether it took every byte.
      entry.file().force();
      entry.completed();
    } catch (ClosedByInterruptException e) {
      LOG.debug("{} is verified when it is asked for again", entry.file(), e);
    } catch (IOException e) {
      refusing(entry, String.valueOf(e), e);
      entries.discard(entry);
    }
  }

  private void failed(CacheEntry entry, int piece, StorageException failure) {
    boolean isUnheard = entry.failed(piece, failure);
    if (isUnheard && !Thread.currentThread().isInterrupted()) {
      LOG.warn(
          "Filling {} stopped; the next request will continue it: {}",
          entry.file(),
          failure.getMessage());
    }
    if (failure instanceof BlobNotFound) {
      entries.discard(entry);
    }
  }

  private static StorageUnavailable stopping() {
    return new StorageUnavailable(CachingBlobStore.NAME, "the server stops", null);
  }

  private static StorageUnavailable interrupted(IOException cause) {
    return new StorageUnavailable(CachingBlobStore.NAME, "the fetch was interrupted", cause);
  }

  private void refusing(CacheEntry entry, String reason, @Nullable Throwable cause) {
    // A deleted blob is expected to be refused, so nothing is logged.
    if (!entry.isDropped() && refused.getAndSet(clock.instant()).equals(Instant.MIN)) {
      LOG.warn(
          "The cache is off ({}): blobs are served straight from the {} store",
          reason,
          remote.name(),
          cause);
    }
  }

  /** Says so once a pause is over: what goes in between may have been a small piece's luck. */
  private void taken() {
    Instant last = refused.get();
    if (!last.equals(Instant.MIN)
        && clock.instant().isAfter(last.plus(CacheEntry.PAUSE))
        && refused.compareAndSet(last, Instant.MIN)) {
      LOG.info("The cache is on again");
    }
  }

  /**
   * A claimed piece.
   *
   * @param isAhead whether nobody waited for it when it was claimed
   */
  private record Fetch(CacheEntry entry, int piece, boolean isAhead) {}
}
