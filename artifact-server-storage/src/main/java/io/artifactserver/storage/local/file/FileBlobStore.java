package io.artifactserver.storage.local.file;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps each blob as one read-only file {@code blobs/ab/cd/<key>} of a folder. Thread-safe, and the
 * folder's only writer.
 *
 * <p>An upload is written to {@code uploads/<key>.part}, on the same file system, and moved when it
 * is durable. Shard folders are never removed: that would race with commits, and there are at most
 * 65,792.
 */
public final class FileBlobStore implements BlobStore {
  static final String NAME = "file";
  private static final Logger LOGGER = LoggerFactory.getLogger(FileBlobStore.class);
  private static final String PART_SUFFIX = ".part";

  private final Path root;
  private final Path blobsFolder;
  private final Path uploadsFolder;
  private final MappedFiles mappedFiles;
  private final LongPredicate room;
  private final FileErrors errors;
  private final Shards shards;
  private final Set<Path> openParts;
  private final DurableFolders folders;
  private final boolean mapsFiles;

  private FileBlobStore(
      Path root,
      MappedFiles mappedFiles,
      LongPredicate room,
      Set<Path> openParts,
      boolean mapsFiles) {
    this.mapsFiles = mapsFiles;
    this.openParts = openParts;
    this.room = room;
    this.root = root;
    this.folders = new DurableFolders(root);
    this.blobsFolder = root.resolve("blobs");
    this.uploadsFolder = root.resolve("uploads");
    this.mappedFiles = mappedFiles;
    this.errors = new FileErrors(root);
    this.shards = new Shards(blobsFolder, errors);
  }

  /**
   * Opens the store of a folder; creates what is missing of it. I/O.
   *
   * @param root exists and is this process's alone
   * @param mappedFiles for the regions of this store's blobs; closed by the caller
   * @throws StorageException if the folder cannot be written to
   */
  public static FileBlobStore open(Path root, MappedFiles mappedFiles) throws StorageException {
    return open(root, mappedFiles, _ -> true);
  }

  /**
   * @param room whether the disk has room for so many bytes more of an upload
   */
  static FileBlobStore open(Path root, MappedFiles mappedFiles, LongPredicate room)
      throws StorageException {
    FileBlobStore store =
        new FileBlobStore(root, mappedFiles, room, ConcurrentHashMap.newKeySet(), true);
    try {
      store.folders.create(store.blobsFolder);
      store.folders.create(store.uploadsFolder);
      LOGGER.info(
          "Blobs are kept in {}, which has {} MiB free",
          store.blobsFolder,
          Files.getFileStore(root).getUsableSpace() >> 20);
    } catch (IOException e) {
      throw store.errors.ofStore("open", e);
    }
    return store;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new FileBlob(ref, this, mappedFiles);
  }

  @Override
  public BlobUpload begin(String key) throws StorageException {
    Path part = part(BlobRef.requireKey(key));
    requireRoom(key, 0);
    if (!openParts.add(part)) {
      throw errors.ofUpload(key, 0, new FileAlreadyExistsException(part.toString()));
    }
    try {
      // A process that was killed may have left its part of the same blob, as a migration does.
      Files.deleteIfExists(part);
      return new FileBlobUpload(this, key, part, createPart(part));
    } catch (IOException e) {
      openParts.remove(part);
      throw errors.ofUpload(key, 0, e);
    }
  }

  @Override
  public BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException {
    String key = checkpoint.key();
    Path part = part(key);
    requireRoom(key, 0);
    if (!openParts.add(part)) {
      throw errors.ofUpload(
          key, checkpoint.length(), new FileAlreadyExistsException(part.toString()));
    }
    boolean isOpen = false;
    try {
      FileBlobUpload upload = FileBlobUpload.resumed(this, part, checkpoint);
      isOpen = true;
      return upload;
    } catch (NoSuchFileException e) {
      throw new StorageException.BlobNotFound(NAME, checkpoint.ref(), e);
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw errors.ofUpload(key, checkpoint.length(), e);
    } finally {
      if (!isOpen) {
        openParts.remove(part);
      }
    }
  }

  @Override
  public void discard(UploadCheckpoint checkpoint) {
    Path part = part(checkpoint.key());
    try {
      if (!openParts.contains(part)) {
        Files.deleteIfExists(part);
      }
    } catch (IOException e) {
      LOGGER.debug("Leaving {} to the sweeper", part, e);
    }
  }

  /**
   * @throws StorageException.StorageFull if so many bytes more would take what is kept free
   */
  void requireRoom(String key, long bytes) throws StorageException {
    if (!room.test(bytes)) {
      throw new StorageException.StorageFull(
          NAME,
          "no room for upload %s in %s: the rest is kept for the database and for deletions"
              .formatted(key, root),
          null);
    }
  }

  @Override
  public void delete(BlobRef ref) throws StorageException {
    try {
      Files.deleteIfExists(path(ref.key()));
    } catch (IOException e) {
      throw errors.ofBlob(ref, "delete", e);
    } finally {
      mappedFiles.forget(ref.key());
    }
  }

  @Override
  public Stream<StoredBlob> list() throws StorageException {
    try {
      return shards.blobs();
    } catch (UncheckedIOException e) {
      throw storageException(e);
    }
  }

  @Override
  public int removeAbandonedUploads(Instant begunBefore, Set<String> resumable)
      throws StorageException {
    int removed = 0;
    try {
      for (String name : shards.names(uploadsFolder)) {
        Path part = uploadsFolder.resolve(name);
        if (isPart(name)
            && !resumable.contains(name.substring(0, name.length() - PART_SUFFIX.length()))
            && !openParts.contains(part)
            && isOlder(part, begunBefore)
            && Files.deleteIfExists(part)) {
          removed++;
        }
      }
    } catch (UncheckedIOException e) {
      throw storageException(e);
    } catch (IOException e) {
      throw errors.ofStore("remove abandoned uploads", e);
    }
    return removed;
  }

  /** Forgets the mapping, so that the next reader gets the file that is there now. */
  @Override
  public void forgetCopies(BlobRef ref) {
    mappedFiles.forget(ref.key());
  }

  /** Reads the files: a mapping may be that of a file which was replaced since. */
  @Override
  public BlobStore originals() {
    return new FileBlobStore(root, mappedFiles, room, openParts, false);
  }

  /** Its folder is part of the data folder, which one process has at a time. */
  @Override
  public boolean isExclusive() {
    return true;
  }

  /** For a byte: a reserve that is given up leaves exactly its own length free. */
  @Override
  public boolean hasRoom() {
    return room.test(1);
  }

  @Override
  public void check() throws StorageException {
    Path probe = part(BlobRef.newKey());
    openParts.add(probe);
    try {
      try (FileChannel channel = createPart(probe)) {
        channel.write(ByteBuffer.wrap(new byte[] {1}));
      } finally {
        Files.deleteIfExists(probe);
      }
      if (!Files.isWritable(blobsFolder)) {
        throw new IOException(blobsFolder + " is not writable");
      }
    } catch (IOException e) {
      throw errors.ofStore("write", e);
    } finally {
      openParts.remove(probe);
    }
  }

  /** Moves a part file that is durable to its place, durably. */
  void publish(String key, Path part) throws IOException {
    Path target = path(key);
    Path shard = blobsFolder.resolve(key.substring(0, 2)).resolve(key.substring(2, 4));
    folders.create(shard);
    // A move replaces what is there. No other process writes here, so asking first is enough.
    if (Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(target.toString());
    }
    try {
      DurableFiles.move(part, target);
    } catch (IOException e) {
      Files.deleteIfExists(target);
      throw e;
    }
  }

  /** The upload of this part file is over. */
  void end(Path part) {
    openParts.remove(part);
  }

  boolean mapsFiles() {
    return mapsFiles;
  }

  FileErrors errors() {
    return errors;
  }

  private static StorageException storageException(UncheckedIOException e) {
    if (e.getCause() instanceof StorageException cause) {
      return cause;
    }
    throw e;
  }

  private static FileChannel createPart(Path part) throws IOException {
    return FileChannel.open(
        part,
        Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
        DurableFiles.OWNER_ONLY);
  }

  private static boolean isPart(String name) {
    return name.endsWith(PART_SUFFIX)
        && BlobRef.isKey(name.substring(0, name.length() - PART_SUFFIX.length()));
  }

  private static boolean isOlder(Path file, Instant instant) throws IOException {
    try {
      return Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS)
          .toInstant()
          .isBefore(instant);
    } catch (NoSuchFileException _) {
      return false;
    }
  }

  Path path(String key) {
    return blobsFolder.resolve(key.substring(0, 2)).resolve(key.substring(2, 4)).resolve(key);
  }

  private Path part(String key) {
    return uploadsFolder.resolve(key + PART_SUFFIX);
  }
}
