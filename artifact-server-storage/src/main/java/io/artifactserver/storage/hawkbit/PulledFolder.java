package io.artifactserver.storage.hawkbit;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageFull;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.core.grant.Arrival;
import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;
import io.artifactserver.core.grant.PulledFiles;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/**
 * A folder of this server's own, laid out as hawkBit's, for files that were fetched from hawkBit.
 * When it is full, what was fetched first goes first, and is fetched again when it is asked for.
 * Thread-safe.
 */
public final class PulledFolder implements PulledFiles {
  /** No tenant's: those are in upper case here. */
  private static final String ARRIVING = "arriving";

  private final Path root;
  private final long maxBytes;
  private final LongPredicate hasRoomFor;
  private final boolean streams;
  private final HawkbitFolder folder;
  private final ConcurrentHashMap<HawkbitFolder.Key, ArrivingFile> arriving =
      new ConcurrentHashMap<>();

  /** Guarded by this object, as is the total. In the order in which they came. */
  private final Deque<Kept> kept;

  /** Bytes of what is there and of what is arriving. */
  private long total;

  private PulledFolder(
      Path root,
      long maxBytes,
      LongPredicate hasRoomFor,
      boolean streams,
      MappedFiles mappedFiles,
      List<Kept> kept) {
    this.root = root;
    this.maxBytes = maxBytes;
    this.hasRoomFor = hasRoomFor;
    this.streams = streams;
    this.folder = new HawkbitFolder(root, mappedFiles);
    this.kept = new ArrayDeque<>(kept);
    this.total = kept.stream().mapToLong(Kept::length).sum();
  }

  /**
   * Opens the folder, makes it if it is not there, and removes what had not arrived whole. I/O.
   *
   * @param maxBytes that the folder may take
   * @param hasRoomFor whether the disk has room for so many bytes
   * @param streams whether a file is known while it arrives
   * @param mappedFiles for the regions of the files; closed by the caller
   * @throws StorageUnavailable if the folder cannot be used
   */
  public static PulledFolder open(
      Path root, long maxBytes, LongPredicate hasRoomFor, boolean streams, MappedFiles mappedFiles)
      throws StorageException {
    Path parts = root.resolve(ARRIVING);
    try {
      Files.createDirectories(parts);
      List<Kept> kept = new ArrayList<>();
      for (Path file : files(root)) {
        if (file.startsWith(parts)) {
          Files.delete(file);
        } else {
          kept.add(new Kept(file, Files.size(file), Files.getLastModifiedTime(file).toInstant()));
        }
      }
      kept.sort(Comparator.comparing(Kept::since));
      return new PulledFolder(root, maxBytes, hasRoomFor, streams, mappedFiles, kept);
    } catch (IOException e) {
      throw new StorageUnavailable(
          HawkbitFolder.NAME, "the folder %s cannot be used: %s".formatted(root, e), e);
    }
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Override
  public boolean streams() {
    return streams;
  }

  @Override
  public Optional<GrantedFile> known(GrantedArtifact artifact) {
    Optional<GrantedFile> whole = folder.known(artifact);
    return whole.isPresent() || !streams || arriving.isEmpty()
        ? whole
        : Optional.ofNullable(arriving.get(HawkbitFolder.Key.of(artifact))).map(ArrivingFile::file);
  }

  /** A file that is damaged is as good as none: it can be fetched again. */
  @Override
  public GrantedFile check(GrantedArtifact artifact) throws StorageException {
    ArrivingFile coming = arriving.get(HawkbitFolder.Key.of(artifact));
    if (coming != null) {
      if (streams) {
        return coming.file();
      }
      throw HawkbitFolder.unavailable(artifact, "is arriving from hawkBit: ask again", null);
    }
    if (!Files.exists(folder.path(artifact))) {
      throw new BlobNotFound(HawkbitFolder.NAME, HawkbitBlob.ref(artifact), null);
    }
    try {
      return folder.check(artifact);
    } catch (StorageUnavailable e) {
      throw new BlobNotFound(HawkbitFolder.NAME, HawkbitBlob.ref(artifact), e);
    }
  }

  @Override
  public Arrival begin(GrantedArtifact artifact) throws StorageException {
    makeRoom(artifact);
    Path part = root.resolve(ARRIVING).resolve(UUID.randomUUID() + ".part");
    try {
      FileChannel channel =
          FileChannel.open(part, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      ArrivingFile file = new ArrivingFile(this, artifact, part, channel, Instant.now());
      if (arriving.putIfAbsent(HawkbitFolder.Key.of(artifact), file) != null) {
        file.close();
        throw HawkbitFolder.unavailable(artifact, "is arriving already", null);
      }
      return file;
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      release(artifact.length());
      throw HawkbitFolder.unavailable(
          artifact, "cannot be written to %s: %s".formatted(part, e), e);
    }
  }

  private synchronized void makeRoom(GrantedArtifact artifact) throws StorageException {
    long length = artifact.length();
    if (length > maxBytes) {
      throw new StorageFull(
          HawkbitFolder.NAME,
          "\"%s\" of tenant %s has %d bytes, and artifact-server.hawkbit.pull-size is %d"
              .formatted(artifact.fileName(), artifact.tenant(), length, maxBytes),
          null);
    }
    while (total > maxBytes - length || !hasRoomFor.test(length)) {
      Kept oldest = kept.poll();
      if (oldest == null) {
        throw new StorageFull(
            HawkbitFolder.NAME,
            "%d bytes for \"%s\" of tenant %s do not fit beside what is being fetched"
                .formatted(length, artifact.fileName(), artifact.tenant()),
            null);
      }
      try {
        // Downloads of it have it mapped, and so go on.
        Files.deleteIfExists(oldest.file());
        folder.forget(oldest.file());
        total -= oldest.length();
      } catch (IOException e) {
        throw new StorageUnavailable(
            HawkbitFolder.NAME, "%s cannot be deleted: %s".formatted(oldest.file(), e), e);
      }
    }
    total += length;
  }

  private synchronized void release(long length) {
    total -= length;
  }

  /** Moves a file that has arrived to where it belongs. I/O. */
  GrantedFile keep(ArrivingFile file, Path part) throws IOException {
    GrantedArtifact artifact = file.artifact();
    Path path = folder.path(artifact);
    Files.createDirectories(Objects.requireNonNull(path.getParent()));
    DurableFiles.move(part, path);
    GrantedFile moved = folder.adopt(artifact);
    synchronized (this) {
      // One that was damaged was there before.
      kept.removeIf(other -> other.file().equals(path) && releases(other));
      kept.add(new Kept(path, artifact.length(), file.file().storedAt()));
    }
    return moved;
  }

  private boolean releases(Kept file) {
    release(file.length());
    return true;
  }

  /** The file is as it will be. */
  void ended(ArrivingFile file, boolean isKept) {
    arriving.remove(HawkbitFolder.Key.of(file.artifact()), file);
    if (!isKept) {
      release(file.artifact().length());
    }
  }

  /**
   * A file that arrived whole.
   *
   * @param since when it began to arrive
   */
  private record Kept(Path file, long length, Instant since) {}
}
