package io.artifactserver.core.upload;

import io.artifactserver.core.ingest.IngestRequest;
import java.time.Instant;
import java.util.List;

/**
 * How an unfinished upload stands now. Immutable.
 *
 * @param id the last part of the upload's address
 * @param owner id of the caller that began it
 * @param request what shall become of the bytes, with the length that is known by now
 * @param position bytes that are there
 * @param isOpen whether a request brings bytes
 * @param isPart whether it is for a part of another upload
 * @param parts ids of the uploads whose bytes it gets; empty if it is sent its bytes
 * @param expiresAt when it is removed, unless bytes come before
 */
public record UploadStatus(
    String id,
    String owner,
    IngestRequest request,
    long position,
    boolean isOpen,
    boolean isPart,
    List<String> parts,
    Instant expiresAt) {}
