package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.digest.SavableDigests;
import io.artifactserver.core.ingest.ArtifactIngest;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.Executor;

/**
 * All that unfinished uploads need of others. Immutable, thread-safe.
 *
 * @param rows keep how far each upload is
 * @param catalog tells whether an upload was completed by a process that died then
 * @param stores keep the bytes
 * @param ingest makes artifacts of them
 * @param digests can be saved
 * @param digestExecutor runs the digests of all uploads; bounds their parallelism
 * @param clock tells when uploads expire
 */
public record UploadPorts(
    UploadRows rows,
    ArtifactCatalog catalog,
    BlobStores stores,
    ArtifactIngest ingest,
    SavableDigests digests,
    Executor digestExecutor,
    InstantSource clock) {
  /** Deletes a blob, if that is possible. */
  void delete(BlobRef blob) {
    try {
      stores.delete(blob);
    } catch (StorageException _) {
      // An orphan now, and the sweeper's.
    }
  }

  /** Tells an upload that is complete from one that there is not any more. Asks the database. */
  UploadException absent(String id) {
    return rows.find(id)
        .filter(UnfinishedUpload::isComplete)
        .<UploadException>map(UploadException.Complete::new)
        .orElseGet(() -> new UploadException.NotFound(id));
  }

  Instant expiry(UploadBounds bounds) {
    return clock.instant().plus(bounds.timeToLive());
  }
}
