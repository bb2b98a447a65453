package io.artifactserver.rest.api.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.core.upload.UnfinishedUploads;
import io.artifactserver.core.upload.UploadStatus;
import io.artifactserver.rest.problem.ProblemException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;

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
   * A page of the unfinished uploads.
   *
   * @param uploads by id
   * @param next address of the next page; absent on the last one
   */
  public record Page(
      List<UploadView> uploads, @JsonInclude(JsonInclude.Include.NON_EMPTY) String next) {
    private static final int MAX_LIMIT = 1000;

    static ResponseEntity<Page> of(UnfinishedUploads uploads, String after, int limit) {
      if (limit < 1 || limit > MAX_LIMIT) {
        throw new ProblemException(
            HttpStatus.BAD_REQUEST,
            "Page out of bounds",
            "\"limit\" is 1 to %d, and \"after\" is the one in \"next\".".formatted(MAX_LIMIT));
      }
      List<UploadStatus> found = uploads.list(after, limit + 1);
      List<UploadStatus> page = found.subList(0, Math.min(limit, found.size()));
      ResponseEntity.BodyBuilder answer = ResponseEntity.ok();
      String next = "";
      if (found.size() > limit) {
        next = "%s?after=%s&limit=%d".formatted(TusController.PATH, page.getLast().id(), limit);
        answer.header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"");
      }
      return answer.body(new Page(page.stream().map(UploadView::of).toList(), next));
    }
  }
}
