package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The entries of the cache's folder, each a file {@code ab/<key>}, within the bounds. Thread-safe;
 * making room blocks on the disk.
 */
final class CacheEntries {
  private static final Logger LOG = LoggerFactory.getLogger(CacheEntries.class);
  private static final Pattern SHARD_NAME = Pattern.compile("[0-9a-f]{2}");

  /** The rough overhead of a file beside its bytes. */
  private static final long OVERHEAD = 4096;

  private final Path folder;
  private final CacheProperties properties;
  private final int pieceLength;
  private final boolean fillsWhole;
  private final long maxBytes;
  private final MappedFiles mappedFiles;
  private final CacheCounters counters;
  private final InstantSource clock;
  private final LongSupplier freeSpace;
  private final ConcurrentHashMap<String, CacheEntry> entries = new ConcurrentHashMap<>();
  private long heldBytes;

  /**
   * @param freeSpace asks how much room the disk has, in bytes: I/O
   */
  CacheEntries(
      Path folder,
      CacheProperties properties,
      MappedFiles mappedFiles,
      CacheCounters counters,
      InstantSource clock,
      LongSupplier freeSpace) {
    this.folder = folder;
    this.properties = properties;
    this.pieceLength = Math.toIntExact(properties.pieceSize().toBytes());
    this.fillsWhole = properties.fill() == CacheProperties.Fill.WHOLE;
    this.maxBytes = properties.maxSize().toBytes();
    this.mappedFiles = mappedFiles;
    this.counters = counters;
    this.clock = clock;
    this.freeSpace = freeSpace;
  }

  /**
   * Takes up what an earlier process left. Reads names, lengths and times only: what is in the
   * files is verified when it is asked for. Leaves foreign files alone. I/O.
   */
  void scan() throws IOException {
    try (DirectoryStream<Path> shards = Files.newDirectoryStream(folder)) {
      for (Path shard : shards) {
        if (SHARD_NAME.matcher(name(shard)).matches()
            && Files.isDirectory(shard, LinkOption.NOFOLLOW_LINKS)) {
          scan(shard);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw Objects.requireNonNull(e.getCause());
    }
    shrink();
    LOG.info(
        "Up to {} MiB of blobs are cached in {}, which has {} MiB of {} blobs",
        maxBytes >> 20,
        folder,
        heldBytes() >> 20,
        entries.size());
  }

  /** The blob's entry if all of it is there. No I/O, no lock. */
  @Nullable CacheEntry complete(BlobRef ref) {
    CacheEntry entry = entries.get(ref.key());
    return entry != null && entry.isComplete() && entry.ref().length() == ref.length()
        ? entry
        : null;
  }

  /**
   * The blob's entry, to be kept until {@link CacheEntry#unpin()}. Empty if the cache cannot take
   * the blob. I/O the first time.
   */
  Optional<CacheEntry> pin(BlobRef ref) {
    if (ref.length() == 0 || ref.length() + OVERHEAD > maxBytes) {
      return Optional.empty();
    }
    CacheEntry entry = findOrAdd(ref);
    if (entry.ref().length() != ref.length()) {
      // A file of a former start, whose length fits another blob's.
      remove(entry, CacheEntry::isIdle);
      entry = findOrAdd(ref);
    }
    if (entry.ref().length() != ref.length() || !entry.pin()) {
      return Optional.empty();
    }
    entry.touch();
    return Optional.of(entry);
  }

  /**
   * Makes room for a piece that is about to be written. The first time for all of a blob that is to
   * be fetched whole: one that does not fit must not be given up halfway. I/O.
   *
   * @return whether there is room
   */
  synchronized boolean makeRoom(CacheEntry entry, int piece) {
    if (entries.get(entry.ref().key()) != entry) {
      return false;
    }
    long charge = OVERHEAD + (fillsWhole ? entry.file().length() : entry.heldBytes());
    long bytes = charge - entry.charge;
    if (!makeRoom(bytes, Math.max(bytes, entry.file().range(piece).length()))) {
      return false;
    }
    entry.charge = charge;
    heldBytes += bytes;
    return true;
  }

  /** Gives an entry up and deletes its file. I/O. */
  void discard(CacheEntry entry) {
    remove(entry, _ -> true);
  }

  /** Gives up what there is of a deleted blob. I/O. */
  void discard(BlobRef ref) {
    CacheEntry entry = entries.get(ref.key());
    if (entry != null) {
      discard(entry);
    }
  }

  /** Writes down when entries were last used, and gives disk back that others need. I/O. */
  void tidy() {
    for (CacheEntry entry : entries.values()) {
      try {
        entry.markUsed();
      } catch (IOException e) {
        LOG.debug("When {} was last used could not be written down", entry.file(), e);
      }
      // Left by requests that the remote store did not answer.
      remove(entry, CacheEntry::isEmpty);
    }
    shrink();
  }

  int size() {
    return entries.size();
  }

  synchronized long heldBytes() {
    return heldBytes;
  }

  /**
   * All or nothing: blobs do not go for one that does not fit all the same.
   *
   * @param bytes to be counted as held
   * @param diskBytes to be written
   */
  private boolean makeRoom(long bytes, long diskBytes) {
    long needed = lack(bytes, diskBytes);
    if (needed <= 0) {
      return true;
    }
    List<CacheEntry> oldest = new ArrayList<>();
    long freed = 0;
    for (Iterator<CacheEntry> idle = idleByLastUse().iterator();
        idle.hasNext() && freed < needed; ) {
      CacheEntry entry = idle.next();
      oldest.add(entry);
      freed += entry.charge;
    }
    // A deletion may show late in the free space, so the charged length is counted.
    return freed >= needed && evict(oldest) >= needed;
  }

  private synchronized void shrink() {
    long needed = lack(0, 0);
    for (Iterator<CacheEntry> idle = idleByLastUse().iterator(); idle.hasNext() && needed > 0; ) {
      needed -= evict(List.of(idle.next()));
    }
  }

  private long lack(long bytes, long diskBytes) {
    return Math.max(
        heldBytes + bytes - maxBytes,
        properties.minFree().toBytes() + diskBytes - freeSpace.getAsLong());
  }

  private long evict(List<CacheEntry> oldest) {
    long freed = 0;
    for (CacheEntry entry : oldest) {
      long charge = entry.charge;
      // A mapped file is being sent. A mapping made between these two keeps the deleted file's
      // bytes.
      if (mappedFiles.forgetUnused(entry.ref().key()) && remove(entry, CacheEntry::isIdle)) {
        counters.evictions.increment();
        freed += charge;
      }
    }
    return freed;
  }

  /** Sorted by what it was at one moment: it changes all the time. */
  private List<CacheEntry> idleByLastUse() {
    return entries.values().stream()
        .filter(CacheEntry::isIdle)
        .map(entry -> new Use(entry, entry.lastUsed()))
        .sorted(Comparator.comparing(Use::lastUsed))
        .map(Use::entry)
        .toList();
  }

  private synchronized boolean remove(CacheEntry entry, Predicate<CacheEntry> isUnused) {
    if (!entry.drop(isUnused)) {
      return false;
    }
    try {
      entry.file().delete();
    } catch (IOException e) {
      LOG.warn("Cannot delete {}; the next start will try again", entry.file(), e);
    }
    if (entries.remove(entry.ref().key(), entry)) {
      heldBytes -= entry.charge;
      entry.charge = 0;
    }
    mappedFiles.forget(entry.ref().key());
    return true;
  }

  private void scan(Path shard) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(shard)) {
      for (Path file : files) {
        String key = name(file);
        BasicFileAttributes attributes =
            Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (BlobRef.isKey(key) && key.startsWith(name(shard)) && attributes.isRegularFile()) {
          OptionalLong length = CacheFile.blobLength(attributes.size(), pieceLength);
          if (length.isPresent()) {
            add(new BlobRef(key, length.getAsLong()), attributes);
          } else {
            Files.delete(file);
          }
        }
      }
    }
  }

  private synchronized void add(BlobRef ref, BasicFileAttributes attributes) {
    CacheEntry entry = entry(ref, attributes.lastModifiedTime().toInstant());
    entry.charge = attributes.size() + OVERHEAD;
    heldBytes += entry.charge;
    entries.put(ref.key(), entry);
  }

  private CacheEntry findOrAdd(BlobRef ref) {
    return entries.computeIfAbsent(ref.key(), _ -> entry(ref, clock.instant()));
  }

  private CacheEntry entry(BlobRef ref, Instant lastUsed) {
    String key = ref.key();
    return new CacheEntry(
        new CacheFile(folder.resolve(key.substring(0, 2)).resolve(key), ref, pieceLength),
        fillsWhole,
        lastUsed,
        clock);
  }

  private static String name(Path path) {
    return Objects.requireNonNull(path.getFileName()).toString();
  }

  private record Use(CacheEntry entry, Instant lastUsed) {}
}
