package io.artifactserver.core.upload;

import io.artifactserver.core.ingest.IngestRequest;
import java.time.Instant;
import java.util.List;

/**
 * An upload over several requests, as it is kept until it expires. It stays for a while after it is
 * complete: a client whose last answer was lost asks again. Immutable.
 *
 * @param id 32 lower-case hexadecimal digits, random: the last part of the upload's address
 * @param owner id of the caller that began it
 * @param request what shall become of the bytes; the length is unknown until it is declared
 * @param metadata description that the client sent and is told again; empty if there is none
 * @param encrypted whether the bytes go to the store of encrypted blobs
 * @param blobKey of the blob that is being written
 * @param progress how far it has come durably
 * @param isPart whether its bytes are for a part of another upload, and make no artifact
 * @param parts ids of the uploads whose bytes this one has, in their order; empty for one that is
 *     sent its bytes
 * @param isComplete whether its artifact is there; of a part, whether its blob is
 * @param expiresAt when it may be removed, unless bytes come before
 */
public record UnfinishedUpload(
    String id,
    String owner,
    IngestRequest request,
    String metadata,
    boolean encrypted,
    String blobKey,
    UploadProgress progress,
    boolean isPart,
    List<String> parts,
    boolean isComplete,
    Instant expiresAt) {
  public UnfinishedUpload {
    parts = List.copyOf(parts);
  }

  /** As it stays in memory: what its client sent as a description may be long. */
  UnfinishedUpload withoutMetadata() {
    return new UnfinishedUpload(
        id, owner, request, "", encrypted, blobKey, progress, isPart, parts, isComplete, expiresAt);
  }

  /** How it stands now, where this is how it was found. */
  UploadStatus status(IngestRequest declared, long position, boolean isOpen, Instant expires) {
    return new UploadStatus(id, owner, declared, position, isOpen, isPart, parts, expires);
  }
}
