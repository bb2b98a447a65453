package io.artifactserver.core.upload;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.core.ingest.Admission;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.ingest.IngestResult;
import io.artifactserver.core.range.ByteRange;
import java.util.Optional;

/**
 * Finds what a process did that died, or lost the database, between completing an upload and saying
 * so: the bytes are committed then, or were dropped because another artifact has them. I/O.
 */
record DeadProcess(UploadPorts ports, UnfinishedUpload upload) {
  /**
   * Makes the artifact, if it is not there; empty if the bytes are gone.
   *
   * @param request with all that was declared
   */
  Optional<IngestResult> complete(IngestRequest request, Admission admission, UploadBytes bytes)
      throws IngestException, StorageException {
    long length = request.declaredLength();
    Optional<UploadProgress> progress =
        ports
            .rows()
            .find(upload.id())
            .map(UnfinishedUpload::progress)
            .filter(kept -> kept.position() == length && kept.hasCheckpoint());
    if (progress.isEmpty()) {
      return Optional.empty();
    }
    Digests digests = bytes.keptDigests(progress.get());
    if (hasStored(length)) {
      return Optional.of(
          ports.ingest().completeCommitted(request, admission, blob(length), digests));
    }
    return ports
        .catalog()
        .findCurrent(request.id())
        .filter(present -> present.digests().sha256().equals(digests.sha256()))
        .map(IngestResult.AlreadyPresent::new);
  }

  /**
   * Whether the blob is there.
   *
   * @param length of the upload, in bytes
   */
  boolean hasStored(long length) throws StorageException {
    try (RangeReader _ = ports.stores().blob(blob(length)).open(ByteRange.whole(length))) {
      return true;
    } catch (StorageException.BlobLost e) {
      return false;
    }
  }

  private BlobRef blob(long length) {
    return new BlobRef(upload.blobKey(), length, upload.encrypted());
  }
}
