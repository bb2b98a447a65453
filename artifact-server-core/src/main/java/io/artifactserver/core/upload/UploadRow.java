package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.digest.MultiDigester;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The row of one upload, which says how far its bytes are durable. The blob and the digests resume
 * from it. Used under the lock of the upload, and by its {@link PendingCheckpoint}; any thread may
 * read {@link #expiresAt()}.
 */
final class UploadRow {
  private final UploadPorts ports;
  private final UploadBounds bounds;

  /** As it was found or begun. */
  private final UnfinishedUpload upload;

  /** Whether an earlier attempt may have written bytes behind its last checkpoint. */
  private final AtomicBoolean hasMore = new AtomicBoolean();

  private final AtomicReference<Instant> expiresAt;

  UploadRow(UploadPorts ports, UploadBounds bounds, UnfinishedUpload upload) {
    this.ports = ports;
    this.bounds = bounds;
    this.upload = upload;
    this.expiresAt = new AtomicReference<>(upload.expiresAt());
  }

  Instant expiresAt() {
    return expiresAt.get();
  }

  /** Whether bytes of an earlier attempt may follow every checkpoint until the upload is over. */
  boolean hasMore() {
    return hasMore.get();
  }

  /** Reads the row. Asks the database. */
  UnfinishedUpload find() throws UploadException.NotFound {
    return ports
        .rows()
        .find(upload.id())
        .orElseThrow(() -> new UploadException.NotFound(upload.id()));
  }

  /** Writes a checkpoint, and postpones the expiry. Returns whether the row is still there. */
  boolean advance(UploadProgress progress) {
    Instant expiry = ports.expiry(bounds);
    boolean isThere = ports.rows().advance(upload.id(), progress, expiry);
    expiresAt.set(expiry);
    return isThere;
  }

  /**
   * Resumes the blob and its digests from the checkpoint of the row, or begins them. I/O.
   *
   * @param found the row as it is now
   */
  DigestedBlob resume(UnfinishedUpload found) throws StorageException {
    MultiDigester digester = resumeDigests(found.progress());
    return new DigestedBlob(resumeBlob(found), digester);
  }

  /** Resumes the digests of the bytes that the row says are durable. No I/O. */
  MultiDigester resumeDigests(UploadProgress progress) throws StorageException.BlobCorrupt {
    if (!progress.hasCheckpoint()) {
      return new MultiDigester(ports.digestExecutor(), ports.digests()::begin);
    }
    try {
      return MultiDigester.resume(ports.digestExecutor(), ports.digests(), progress.digests());
    } catch (IllegalArgumentException e) {
      throw new StorageException.BlobCorrupt(
          ports.stores().plain().name(),
          new BlobRef(upload.blobKey(), progress.position()),
          "the digests of its upload cannot go on",
          e);
    }
  }

  /**
   * Deletes the durable bytes, if there are any. I/O.
   *
   * @param found the row as it was before it was removed
   */
  void discardBlob(UnfinishedUpload found) {
    if (!found.progress().hasCheckpoint()) {
      return;
    }
    try {
      ports.stores().of(found.encrypted()).discard(checkpointOf(found));
    } catch (StorageException _) {
      // Encrypted, and there is no key ring any more: the sweeper removes it.
    }
  }

  private BlobUpload resumeBlob(UnfinishedUpload found) throws StorageException {
    UploadProgress progress = found.progress();
    BlobStore store = ports.stores().of(found.encrypted());
    if (!progress.hasCheckpoint()) {
      return store.begin(found.blobKey());
    }
    BlobUpload blob = store.resume(checkpointOf(found));
    if (found.encrypted()) {
      try {
        markOpen(progress);
      } catch (RuntimeException e) {
        blob.leave();
        throw e;
      }
    }
    return blob;
  }

  /**
   * Says in the row that bytes may follow its checkpoint, before the first of them is written. If
   * an earlier attempt has said so, it stays true until the upload is over: nobody knows how far
   * those bytes go.
   */
  private void markOpen(UploadProgress progress) {
    if (progress.isOpen()) {
      hasMore.set(true);
    } else {
      boolean _ =
          advance(
              new UploadProgress(
                  progress.position(),
                  progress.digests(),
                  progress.store(),
                  true,
                  progress.parts()));
    }
  }

  private static UploadCheckpoint checkpointOf(UnfinishedUpload row) {
    UploadProgress progress = row.progress();
    return new UploadCheckpoint(
        row.blobKey(), progress.position(), progress.store(), row.encrypted() && progress.isOpen());
  }
}
