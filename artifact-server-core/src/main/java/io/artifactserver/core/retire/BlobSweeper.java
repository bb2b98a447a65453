package io.artifactserver.core.retire;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStore.StoredBlob;
import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.BlobRegister;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Removes what crashes left behind: blobs that no catalog row names, and uploads that nobody will
 * finish. Thread-safe; may run beside uploads, because it leaves alone whatever is young.
 *
 * @param store that has every stored byte, encrypted or not
 * @param minimumAge of what is swept: longer than the time between a blob's commit and its row, and
 *     than the longest upload
 * @param clock that no one sets, as {@link SteadyClock}
 * @param resumable returns the keys of the blobs whose uploads may be resumed, and of parts that
 *     wait for others; may ask the database
 */
public record BlobSweeper(
    BlobRegister register,
    BlobStore store,
    DataKeyStore dataKeys,
    Duration minimumAge,
    InstantSource clock,
    Supplier<Set<String>> resumable) {
  private static final int BATCH = 500;

  /**
   * Sweeps what is older than the minimum age, by the database's clock or by this process's,
   * whichever is behind.
   *
   * @throws StorageException if the store cannot be asked; a later sweep goes on
   */
  public Swept sweep() throws StorageException {
    Instant now = now();
    return sweep(now.minus(minimumAge), now.minus(minimumAge));
  }

  /**
   * As {@link #sweep()}, but in a store that {@link BlobStore#isExclusive is this process's alone}
   * whatever is older than the process: nobody can be at work on it any more.
   *
   * @param startedAt when the process started
   */
  public Swept sweepAtStart(Instant startedAt) throws StorageException {
    Instant old = now().minus(minimumAge);
    return sweep(store.isExclusive() ? startedAt : old, old);
  }

  private Instant now() {
    Instant theirs = register.now();
    Instant ours = clock.instant();
    return ours.isBefore(theirs) ? ours : theirs;
  }

  private Swept sweep(Instant storedBefore, Instant keysBefore) throws StorageException {
    // Asked before: an upload that begins meanwhile is too young to be swept.
    Set<String> wanted = resumable.get();
    int uploads = store.removeAbandonedUploads(storedBefore, wanted);
    int orphans = 0;
    try (Stream<StoredBlob> blobs = store.list()) {
      List<StoredBlob> batch = new ArrayList<>(BATCH);
      for (Iterator<StoredBlob> i = blobs.iterator(); i.hasNext(); ) {
        StoredBlob blob = i.next();
        if (blob.storedAt().isBefore(storedBefore) && !wanted.contains(blob.ref().key())) {
          batch.add(blob);
        }
        if (batch.size() == BATCH || !i.hasNext()) {
          orphans += deleteOrphans(batch);
          batch.clear();
        }
      }
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof StorageException cause) {
        throw cause;
      }
      throw e;
    }
    return new Swept(orphans, uploads, dataKeys.deleteOrphans(keysBefore));
  }

  private int deleteOrphans(List<StoredBlob> batch) throws StorageException {
    if (batch.isEmpty()) {
      return 0;
    }
    Set<String> known = register.known(batch.stream().map(blob -> blob.ref().key()).toList());
    int orphans = 0;
    for (StoredBlob blob : batch) {
      if (!known.contains(blob.ref().key())) {
        store.delete(blob.ref());
        orphans++;
      }
    }
    return orphans;
  }

  /**
   * The result of a sweep, in counts of things removed.
   *
   * @param orphans committed blobs without a row
   * @param uploads begun and never committed
   * @param dataKeys of blobs that are not, or no longer, in the catalog
   */
  public record Swept(int orphans, int uploads, int dataKeys) {}
}
