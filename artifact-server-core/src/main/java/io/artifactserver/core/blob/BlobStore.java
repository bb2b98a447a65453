package io.artifactserver.core.blob;

import java.time.Instant;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Keeps blobs. Thread-safe. A backend implements this interface, {@link Blob}, {@link RangeReader}
 * and {@link BlobUpload}, and proves itself with the contract suite {@code BlobStoreContract}.
 */
public interface BlobStore {
  /** The backend's short name for messages and metrics, such as {@code file}. No I/O. */
  String name();

  /**
   * A handle on a committed blob. No I/O: whether the blob exists shows when it is opened.
   *
   * @param ref as {@link BlobUpload#commit()} returned it
   */
  Blob blob(BlobRef ref);

  /**
   * Begins a new blob under a new key. The caller closes the upload, in the same method and thread.
   *
   * @throws StorageException if the backend takes no upload now
   */
  default BlobUpload begin() throws StorageException {
    return begin(BlobRef.newKey());
  }

  /**
   * Begins a blob under a key that another store gave it: what is bound to the key, such as a data
   * key, stays bound when a blob moves. Otherwise as {@link #begin()}.
   *
   * @param key of no blob of this store; {@link BlobUpload#commit()} fails if there is one
   * @throws IllegalArgumentException if it is no key
   */
  BlobUpload begin(String key) throws StorageException;

  /**
   * Goes on with an upload that was {@linkplain BlobUpload#leave() left}, or whose process died.
   * Its next byte is the one behind the checkpoint. The caller closes it, and resumes an upload
   * only when nobody else is at work on it.
   *
   * @throws StorageException.BlobLost if what the checkpoint made durable is not there; the upload
   *     begins again, under another key
   * @throws StorageException if the backend takes no upload now
   */
  BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException;

  /**
   * Removes an upload that nobody will resume. A blob that was committed stays. May be repeated;
   * what the backend cannot be asked is left to {@link #removeAbandonedUploads}.
   */
  void discard(UploadCheckpoint checkpoint);

  /**
   * Deletes a blob. Deleting what is not there succeeds, so a sweep may be repeated. Readers that
   * are open either finish or fail with a {@link StorageException}; they never deliver other bytes.
   *
   * @throws StorageException if the backend cannot be asked; the blob may or may not be gone
   */
  void delete(BlobRef ref) throws StorageException;

  /**
   * Every committed blob, in no order, read lazily. The caller closes the stream. Blobs committed
   * or deleted meanwhile may be missing or present.
   *
   * @throws StorageException if the backend cannot be asked; while the stream is consumed this
   *     arrives as the cause of an {@link java.io.UncheckedIOException}
   */
  Stream<StoredBlob> list() throws StorageException;

  /**
   * Removes what uploads left behind that were begun before an instant and will never be committed.
   *
   * @param resumable keys of the uploads that may be resumed
   * @return how many were removed
   * @throws StorageException if the backend cannot be asked
   */
  int removeAbandonedUploads(Instant begunBefore, Set<String> resumable) throws StorageException;

  /** As the other method, if no upload may be resumed. */
  default int removeAbandonedUploads(Instant begunBefore) throws StorageException {
    return removeAbandonedUploads(begunBefore, Set.of());
  }

  /**
   * Drops whatever copies there are of a blob whose bytes proved wrong, so that the next reader
   * gets them from where they come from.
   */
  default void forgetCopies(BlobRef ref) {}

  /**
   * The same blobs, read past every copy: what is delivered is what the backend keeps now. For
   * reading a blob once; its users share the other resources of this store. No I/O.
   */
  default BlobStore originals() {
    return this;
  }

  /**
   * Whether no other process can be writing here, as in a folder that this one has locked. No I/O.
   */
  default boolean isExclusive() {
    return false;
  }

  /**
   * Memory that an upload holds for as long as it is open, in bytes; 0 if that is less than a
   * megabyte. No I/O.
   */
  default long uploadMemory() {
    return 0;
  }

  /** Whether there is room for uploads; others work without it. I/O, of microseconds. */
  default boolean hasRoom() {
    return true;
  }

  /**
   * Checks that the backend can be reached and written to.
   *
   * @throws StorageException naming what is wrong; {@link StorageException.StorageFull} if it is
   *     only that there is no room
   */
  void check() throws StorageException;

  /**
   * A blob as {@link #list()} reports it.
   *
   * @param ref its key and length
   * @param storedAt when it was committed, by the backend's clock
   */
  record StoredBlob(BlobRef ref, Instant storedAt) {}
}
