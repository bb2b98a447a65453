package io.artifactserver.rest.api.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.upload.UploadStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An unfinished upload, as the API shows it.
 *
 * @param id the last part of its address
 * @param owner id of the caller that began it
 * @param length in bytes; absent if it is not known yet
 * @param position bytes that are there
 * @param isOpen whether a request brings bytes
 * @param isPart whether other uploads get its bytes
 * @param parts ids of the uploads that it gets its bytes from; absent if there are none
 * @param expires when it is removed, unless bytes come before
 */
public record UploadView(
    String id,
    String owner,
    String repository,
    String path,
    String mediaType,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long length,
    long position,
    @JsonProperty("open") boolean isOpen,
    @JsonProperty("part") boolean isPart,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) List<String> parts,
    Instant expires) {
  static UploadView of(UploadStatus status) {
    IngestRequest request = status.request();
    return new UploadView(
        status.id(),
        status.owner(),
        request.id().repository(),
        request.id().path(),
        request.mediaType(),
        request.declaredLength() == IngestRequest.UNKNOWN_LENGTH ? null : request.declaredLength(),
        status.position(),
        status.isOpen(),
        status.isPart(),
        status.parts(),
        status.expiresAt());
  }

  /**
   * The unfinished uploads.
   *
   * @param uploads by id
   */
  public record Page(List<UploadView> uploads) {}
}
