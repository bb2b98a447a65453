package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobCache;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Keeps the blobs of a remote store on the local disk as they are read. Thread-safe.
 *
 * <p>A blob is fetched in pieces, each once whoever asks for it, those that a reader waits for
 * first; so nobody waits for bytes that he does not need. When every piece is there the blob is
 * served as a mapped file. Uploads go to the remote store, and are not cached before they are read.
 *
 * <p>The cache's own trouble, a full disk or a damaged file, is logged and counted; readers then
 * get their bytes from the remote store.
 */
public final class CachingBlobStore implements BlobStore, BlobCache, AutoCloseable {
  static final String NAME = "cache";
  private static final long TIDY_SECONDS = 60;

  private final BlobStore remote;
  private final MappedFiles mappedFiles;
  private final CacheCounters counters = new CacheCounters();
  final CacheEntries entries;
  private final PieceFetches fetches;
  private final ScheduledExecutorService tidying =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("cache-tidy").factory());

  private CachingBlobStore(
      BlobStore remote,
      Path folder,
      CacheProperties properties,
      MappedFiles mappedFiles,
      InstantSource clock,
      LongSupplier freeSpace) {
    this.remote = remote;
    this.mappedFiles = mappedFiles;
    this.entries = new CacheEntries(folder, properties, mappedFiles, counters, clock, freeSpace);
    this.fetches = new PieceFetches(remote, entries, counters, properties.maxFetches(), clock);
  }

  /**
   * Opens the cache of a folder; creates the folder if it is absent. I/O.
   *
   * @param remote whose blobs are cached; closed by the caller
   * @param folder of this process alone; absolute
   * @param mappedFiles for the regions of the cached blobs, and of no others; closed by the caller
   * @throws StorageException if the folder cannot be used
   */
  public static CachingBlobStore open(
      BlobStore remote, Path folder, CacheProperties properties, MappedFiles mappedFiles)
      throws StorageException {
    return open(
        remote, folder, properties, mappedFiles, InstantSource.system(), usableSpace(folder));
  }

  static CachingBlobStore open(
      BlobStore remote,
      Path folder,
      CacheProperties properties,
      MappedFiles mappedFiles,
      InstantSource clock,
      LongSupplier freeSpace)
      throws StorageException {
    CachingBlobStore store =
        new CachingBlobStore(remote, folder, properties, mappedFiles, clock, freeSpace);
    try {
      DurableFiles.createFolder(folder);
      store.entries.scan();
    } catch (IOException e) {
      store.close();
      throw unusable(folder, e);
    }
    var _ =
        store.tidying.scheduleWithFixedDelay(
            store.entries::tidy, TIDY_SECONDS, TIDY_SECONDS, TimeUnit.SECONDS);
    return store;
  }

  @Override
  public String name() {
    return "cached-" + remote.name();
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new CachedBlob(ref);
  }

  @Override
  public BlobUpload begin(String key) throws StorageException {
    return remote.begin(key);
  }

  @Override
  public BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException {
    return remote.resume(checkpoint);
  }

  @Override
  public void discard(UploadCheckpoint checkpoint) {
    remote.discard(checkpoint);
  }

  @Override
  public void delete(BlobRef ref) throws StorageException {
    try {
      remote.delete(ref);
    } finally {
      // Behind the remote's deletion, or a request in between would fetch it again.
      entries.discard(ref);
    }
  }

  @Override
  public void forgetCopies(BlobRef ref) {
    entries.discard(ref);
    remote.forgetCopies(ref);
  }

  @Override
  public BlobStore originals() {
    return remote.originals();
  }

  @Override
  public Stream<StoredBlob> list() throws StorageException {
    return remote.list();
  }

  @Override
  public int removeAbandonedUploads(Instant begunBefore, Set<String> resumable)
      throws StorageException {
    return remote.removeAbandonedUploads(begunBefore, resumable);
  }

  @Override
  public long uploadMemory() {
    return remote.uploadMemory();
  }

  @Override
  public boolean hasRoom() {
    return remote.hasRoom();
  }

  /** Checks the remote store: without the cache, blobs are served all the same. */
  @Override
  public void check() throws StorageException {
    remote.check();
  }

  @Override
  public Figures figures() {
    return new Figures(
        counters.hits.sum(),
        counters.misses.sum(),
        counters.passes.sum(),
        counters.filledBytes.sum(),
        counters.evictions.sum(),
        counters.damagedPieces.sum(),
        entries.heldBytes(),
        entries.size());
  }

  /** Stops fetching, and writes down when blobs were last used. I/O. */
  @Override
  public void close() {
    tidying.shutdownNow();
    fetches.close();
    entries.tidy();
  }

  /** Empty if the entry was given up since it was found. */
  Optional<FileRegion> regionOf(CacheEntry entry, ByteRange range) {
    try {
      FileRegion region = mappedFiles.region(entry.ref().key(), range, entry.file());
      if (!entry.isComplete()) {
        // The mapped file may be another one of that name, with holes in the place of pieces.
        region.close();
        return Optional.empty();
      }
      entry.touch();
      counters.hits.increment();
      return Optional.of(region);
    } catch (StorageException _) {
      // Its file was taken away. Reading the blob brings it back.
      entries.discard(entry);
      return Optional.empty();
    }
  }

  private static LongSupplier usableSpace(Path folder) throws StorageException {
    try {
      DurableFiles.createFolder(folder);
      FileStore disk = Files.getFileStore(folder);
      return () -> {
        try {
          return disk.getUsableSpace();
        } catch (IOException _) {
          // Then writing will tell when it is used up.
          return Long.MAX_VALUE;
        }
      };
    } catch (IOException e) {
      throw unusable(folder, e);
    }
  }

  static StorageException unusable(Path folder, IOException cause) {
    return new StorageException.StorageUnavailable(
        NAME,
        "its folder %s cannot be used: %s. See artifact-server.storage.cache.path."
            .formatted(folder, cause),
        cause);
  }

  /** A blob, read through the cache; thread-safe. */
  private final class CachedBlob implements Blob {
    private final BlobRef ref;

    private CachedBlob(BlobRef ref) {
      this.ref = ref;
    }

    @Override
    public BlobRef ref() {
      return ref;
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      range.requireWithin(ref.length());
      Blob blob = remote.blob(ref);
      Optional<CacheEntry> pinned = range.isEmpty() ? Optional.empty() : entries.pin(ref);
      if (pinned.isEmpty()) {
        counters.passes.increment();
        return blob.open(range);
      }
      CacheEntry entry = pinned.get();
      CachedRangeReader reader =
          new CachedRangeReader(blob, range, entry, fetches, entries, counters);
      try {
        if (entry.has(entry.file().pieceOf(range.position()))) {
          counters.hits.increment();
        } else {
          counters.misses.increment();
        }
        entry.wantWhole();
        // A missing blob, or a store that is down, must show before the caller answers.
        reader.advance();
        return reader;
      } catch (StorageException | RuntimeException e) {
        reader.close();
        throw e;
      }
    }

    /** The remote store's: what a client fetches there passes the cache by. */
    @Override
    public Optional<URI> temporaryAddress(String mediaType, String contentDisposition)
        throws StorageException {
      return remote.blob(ref).temporaryAddress(mediaType, contentDisposition);
    }

    /** An incomplete file may have to be fetched. */
    @Override
    public Wait waitToOpen() {
      if (entries.complete(ref) == null) {
        return Wait.REMOTE;
      }
      return mappedFiles.isMapped(ref.key()) ? Wait.NONE : Wait.DISK;
    }

    /** Present once all of the blob is cached. Never asks the remote store. */
    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) {
      range.requireWithin(ref.length());
      CacheEntry entry = entries.complete(ref);
      return entry == null ? Optional.empty() : regionOf(entry, range);
    }
  }
}
