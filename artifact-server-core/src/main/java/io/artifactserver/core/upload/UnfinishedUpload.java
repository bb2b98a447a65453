package io.artifactserver.core.upload;

import io.artifactserver.core.ingest.IngestRequest;
import java.time.Instant;

/**
 * An upload over several requests, as it is kept until it expires. It stays for a while after it is
 * complete: a client whose last answer was lost asks again. Immutable.
 *
 * @param id 32 lower-case hexadecimal digits, random: the last part of the upload's address
 * @param owner id of the caller that began it
 * @param request what shall become of the bytes; the length is unknown until it is declared
 * @param encrypted whether the bytes go to the store of encrypted blobs
 * @param blobKey of the blob that is being written
 * @param progress how far it has come durably
 * @param isComplete whether its artifact is there
 * @param expiresAt when it may be removed, unless bytes come before
 */
public record UnfinishedUpload(
    String id,
    String owner,
    IngestRequest request,
    boolean encrypted,
    String blobKey,
    UploadProgress progress,
    boolean isComplete,
    Instant expiresAt) {}
