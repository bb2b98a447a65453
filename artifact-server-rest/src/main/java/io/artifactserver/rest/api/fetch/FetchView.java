package io.artifactserver.rest.api.fetch;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.fetch.FetchState;
import io.artifactserver.core.fetch.FetchStatus;
import io.artifactserver.core.ingest.IngestRequest;
import io.artifactserver.rest.problem.UploadProblems;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;

/**
 * A fetch, as the API shows it.
 *
 * @param id the last part of its address
 * @param owner id of the caller that began it
 * @param url of the file, without its query, which may be a secret
 * @param state {@code waiting}, {@code running}, {@code complete}, {@code failed} or {@code ended}
 * @param length in bytes; absent if it is not known
 * @param received bytes of the file that are here
 * @param failure why it failed; absent if it did not
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record FetchView(
    String id,
    String owner,
    String repository,
    String path,
    String mediaType,
    String url,
    String sha256,
    String state,
    @Nullable Long length,
    long received,
    @Nullable Failure failure) {
  static FetchView of(FetchStatus status) {
    IngestRequest request = status.request();
    return new FetchView(
        status.id(),
        status.owner().id(),
        request.id().repository(),
        request.id().path(),
        request.mediaType(),
        withoutQuery(status.url()),
        request.expectedDigests().getFirst().hex(),
        status.state().name().toLowerCase(Locale.ROOT),
        request.declaredLength() == IngestRequest.UNKNOWN_LENGTH ? null : request.declaredLength(),
        status.received(),
        status.state() == FetchState.FAILED
            ? status.failure().map(Failure::of).orElse(null)
            : null);
  }

  private static String withoutQuery(URI url) {
    return url.toString().split("\\?", 2)[0];
  }

  /** The failure of a fetch, with the members of a problem detail that an upload has. */
  public record Failure(int status, @Nullable String title, @Nullable String detail) {
    static Failure of(Exception failure) {
      ProblemDetail problem = UploadProblems.of(failure);
      return new Failure(problem.getStatus(), problem.getTitle(), problem.getDetail());
    }
  }

  /**
   * Fetches.
   *
   * @param fetches in the order in which they began
   */
  public record Page(List<FetchView> fetches) {}
}
