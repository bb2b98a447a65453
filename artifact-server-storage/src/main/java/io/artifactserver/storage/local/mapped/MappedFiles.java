package io.artifactserver.storage.local.mapped;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.LongSupplier;

/**
 * Keeps the files of hot blobs mapped, so that a warm range costs no system call. Thread-safe; a
 * warm range takes no lock.
 *
 * <p>A file is mapped whole, once, and must never change while it is mapped. The mapping goes when
 * no region of it is open and it is idle, forgotten, or in the way of a newer one. The bound is
 * therefore exceeded only while more files than that have open regions.
 */
public final class MappedFiles implements AutoCloseable {
  /** Most files that stay open, of the descriptors that are kept back for others than clients. */
  static final int MAX_DESCRIPTORS = 400;

  private final ConcurrentHashMap<String, MappedFile> files = new ConcurrentHashMap<>();
  private final int maxFiles;
  private final long idleNanos;
  private final LongSupplier nanoClock;
  private final Semaphore descriptors;
  private volatile boolean closed;

  /**
   * @param maxFiles to keep mapped; at least 1
   * @param idleTime after which {@link #closeIdle} closes an unused mapping
   */
  public MappedFiles(int maxFiles, Duration idleTime) {
    this(maxFiles, idleTime, System::nanoTime);
  }

  /** As the other; {@code nanoClock} tells the time, in nanoseconds since some moment. */
  public MappedFiles(int maxFiles, Duration idleTime, LongSupplier nanoClock) {
    if (maxFiles < 1 || idleTime.isNegative()) {
      throw new IllegalArgumentException(
          "%d mapped files, idle for %s".formatted(maxFiles, idleTime));
    }
    this.maxFiles = maxFiles;
    this.idleNanos = idleTime.toNanos();
    this.nanoClock = nanoClock;
    this.descriptors = new Semaphore(Math.min(maxFiles, MAX_DESCRIPTORS));
  }

  /**
   * A region of a file. Opens and maps the file if it is not mapped: I/O. The caller closes the
   * region.
   *
   * @param key names the file for ever; no other file ever has it
   * @param range within the file, checked by the caller
   * @param file opens it
   * @throws StorageException as {@code file} throws it, or if the file cannot be mapped
   * @throws IllegalStateException if this object is closed
   */
  public FileRegion region(String key, ByteRange range, MappableFile file) throws StorageException {
    boolean mapped = false;
    while (true) {
      MappedFile warm = files.get(key);
      if (warm != null && warm.lease()) {
        warm.touch(nanoClock.getAsLong());
        // Behind the lease, or the file that was just mapped could be the only one to go.
        if (mapped) {
          makeRoom();
        }
        return new MappedRegion(this, warm, range);
      }
      if (closed) {
        throw new IllegalStateException("The mapped files are closed");
      }
      map(key, file);
      mapped = true;
    }
  }

  /**
   * As {@link #region}, if the file is mapped. No I/O.
   *
   * @return empty if it is not
   */
  public Optional<FileRegion> mappedRegion(String key, ByteRange range) {
    MappedFile warm = files.get(key);
    if (warm == null || !warm.lease()) {
      return Optional.empty();
    }
    warm.touch(nanoClock.getAsLong());
    return Optional.of(new MappedRegion(this, warm, range));
  }

  /** Whether {@link #region} would find the file mapped. No I/O. */
  public boolean isMapped(String key) {
    return files.containsKey(key);
  }

  /**
   * Drops the file's mapping now, or when its last region is closed. To be called after the file
   * was deleted or replaced: from then on no region of it is opened.
   */
  public void forget(String key) {
    MappedFile forgotten = files.remove(key);
    if (forgotten != null) {
      forgotten.retire();
    }
  }

  /**
   * Drops the file's mapping if no region of it is open.
   *
   * @return whether the file is not mapped now
   */
  public boolean forgetUnused(String key) {
    return files.computeIfPresent(key, (_, file) -> file.closeIfUnused() ? null : file) == null;
  }

  /** Closes the mappings that nobody used for the idle time. To be called now and then. */
  public void closeIdle() {
    long now = nanoClock.getAsLong();
    files.values().stream()
        .filter(file -> file.isUnused() && now - file.lastUsed() >= idleNanos)
        .forEach(this::drop);
  }

  /**
   * Drops the mapping that is unused for longest, if it is for that time.
   *
   * @return whether there was one
   */
  public boolean closeOldest(Duration unused) {
    long now = nanoClock.getAsLong();
    Optional<MappedFile> oldest =
        files.values().stream()
            .filter(file -> file.isUnused() && now - file.lastUsed() >= unused.toNanos())
            .min(Comparator.comparingLong(MappedFile::lastUsed));
    oldest.ifPresent(this::drop);
    return oldest.isPresent();
  }

  /** How many files are mapped and not forgotten. */
  public int size() {
    return files.size();
  }

  /** Closes every mapping now, or when its last region is closed. */
  @Override
  public void close() {
    closed = true;
    files.keySet().forEach(this::forget);
  }

  void release(MappedFile file) {
    file.touch(nanoClock.getAsLong());
    if (file.release()) {
      makeRoom();
    }
  }

  private void map(String key, MappableFile file) throws StorageException {
    try {
      // Under the key's own lock, and so is the removal in forget(): a file that was deleted before
      // is not found here, and one that is deleted meanwhile is forgotten behind this.
      files.computeIfAbsent(
          key,
          absent -> {
            try {
              return MappedFile.map(absent, file, descriptors, nanoClock);
            } catch (StorageException e) {
              throw new UncheckedIOException(e);
            } catch (IOException e) {
              throw new UncheckedIOException(file.unavailable(e));
            }
          });
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof StorageException cause) {
        throw cause;
      }
      throw e;
    }
    if (closed) {
      forget(key);
    }
  }

  private void makeRoom() {
    long excess = files.mappingCount() - maxFiles;
    if (excess > 0) {
      files.values().stream()
          .filter(MappedFile::isUnused)
          .sorted(Comparator.comparingLong(MappedFile::lastUsed))
          .limit(excess)
          .forEach(this::drop);
    }
  }

  /** Leases taken meanwhile keep it to the last release; later ones map the file again. */
  void drop(MappedFile file) {
    if (files.remove(file.key(), file)) {
      file.retire();
    }
  }
}
