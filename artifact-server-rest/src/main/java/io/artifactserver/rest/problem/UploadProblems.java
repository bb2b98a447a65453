package io.artifactserver.rest.problem;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestException.DeletedMeanwhile;
import io.artifactserver.core.ingest.IngestException.DigestMismatch;
import io.artifactserver.core.ingest.IngestException.LengthMismatch;
import io.artifactserver.core.ingest.IngestException.PathReserved;
import io.artifactserver.core.ingest.IngestException.PathTaken;
import io.artifactserver.core.ingest.IngestException.PathUsed;
import io.artifactserver.core.ingest.IngestException.QuotaExceeded;
import io.artifactserver.core.ingest.IngestException.ReleaseSealed;
import io.artifactserver.core.ingest.IngestException.RepositoryFull;
import io.artifactserver.core.ingest.IngestException.RepositoryNotFound;
import io.artifactserver.core.ingest.IngestException.SourceFailed;
import io.artifactserver.core.ingest.IngestException.TooLarge;
import io.artifactserver.core.upload.UploadException;
import io.artifactserver.core.upload.UploadException.BrokenOff;
import io.artifactserver.core.upload.UploadException.Complete;
import io.artifactserver.core.upload.UploadException.NotFound;
import io.artifactserver.core.upload.UploadException.OfParts;
import io.artifactserver.core.upload.UploadException.PartTaken;
import io.artifactserver.core.upload.UploadException.Superseded;
import io.artifactserver.core.upload.UploadException.TooMany;
import io.artifactserver.core.upload.UploadException.WrongChecksum;
import io.artifactserver.core.upload.UploadException.WrongLength;
import io.artifactserver.core.upload.UploadException.WrongPart;
import io.artifactserver.core.upload.UploadException.WrongPosition;
import java.net.URI;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/** Problem details of failed uploads. Pure functions. */
public final class UploadProblems {
  /** tus 1.0.0, extension checksum: no status of HTTP's own. */
  private static final int CHECKSUM_MISMATCH = 460;

  private UploadProblems() {}

  /** A failure of an upload that nobody waits for, whatever failed. */
  public static ProblemDetail of(Exception failure) {
    return switch (failure) {
      case IngestException refused -> of(refused);
      case StorageException storage -> Problems.of(storage);
      case CatalogUnavailableException _ -> Problems.catalogUnavailable();
      default ->
          Problems.of(
              HttpStatus.INTERNAL_SERVER_ERROR,
              "Internal error",
              "The server failed to take the artifact in; its log says why.");
    };
  }

  /** 503: as many uploads as there may be are under way. */
  public static ProblemDetail tooMany() {
    return Problems.unavailable(
        "Too many uploads",
        "All places for uploads are taken, or this token already has its share of them. Try again"
            + " later, or raise"
            + " artifact-server.upload.max-concurrent.");
  }

  /** A request that says two lengths of an upload, or has more bytes than its length says. */
  public static ProblemDetail inconsistentLength(String detail) {
    return typed("inconsistent-upload-length", HttpStatus.BAD_REQUEST, "Wrong length", detail);
  }

  /** A request for an unfinished upload that cannot be done. */
  static ProblemDetail of(UploadException failure) {
    String detail = failure.getMessage() + ".";
    return switch (failure) {
      case NotFound _ -> Problems.of(HttpStatus.NOT_FOUND, "No such upload", detail);
      case WrongPosition wrong -> {
        ProblemDetail problem =
            typed("mismatching-upload-offset", HttpStatus.CONFLICT, "Wrong offset", detail);
        problem.setProperty("expected-offset", wrong.position());
        problem.setProperty("provided-offset", wrong.offered());
        yield problem;
      }
      case WrongLength _ -> inconsistentLength(detail);
      case PartTaken taken -> {
        ProblemDetail problem = Problems.of(HttpStatus.CONFLICT, "Part taken", detail);
        problem.setProperty("upload", "/api/v1/uploads/" + taken.whole());
        yield problem;
      }
      case OfParts _ -> Problems.of(HttpStatus.FORBIDDEN, "Upload of parts", detail);
      case BrokenOff _ -> Problems.of(HttpStatus.BAD_REQUEST, "Upload interrupted", detail);
      case WrongPart _ -> Problems.of(HttpStatus.BAD_REQUEST, "Wrong part", detail);
      case Superseded _ -> Problems.of(HttpStatus.CONFLICT, "Newer request", detail);
      case Complete _ -> typed("completed-upload", HttpStatus.CONFLICT, "Upload complete", detail);
      case TooMany _ ->
          Problems.of(
              HttpStatus.TOO_MANY_REQUESTS,
              "Too many unfinished uploads",
              detail + " An admin sees all of them with GET /api/v1/uploads.");
      case WrongChecksum _ -> {
        ProblemDetail problem = ProblemDetail.forStatus(CHECKSUM_MISMATCH);
        problem.setTitle("Checksum mismatch");
        problem.setDetail(detail);
        yield problem;
      }
    };
  }

  /**
   * A type that draft-ietf-httpbis-resumable-upload registers, or
   * draft-ietf-httpapi-digest-fields-problem-types.
   */
  private static ProblemDetail typed(String type, HttpStatus status, String title, String detail) {
    ProblemDetail problem = Problems.of(status, title, detail);
    problem.setType(URI.create("https://iana.org/assignments/http-problem-types#" + type));
    return problem;
  }

  /** A failure of an upload. */
  static ProblemDetail of(IngestException failure) {
    String detail = failure.getMessage();
    return switch (failure) {
      case RepositoryNotFound _ ->
          Problems.of(
              HttpStatus.NOT_FOUND,
              "No such repository",
              detail + ". POST /api/v1/repositories creates one.");
      case PathTaken _ ->
          Problems.of(
              HttpStatus.CONFLICT,
              "Path taken",
              detail
                  + ". Artifacts never change: use another path. Deleting this one first helps only"
                  + " in a mutable repository.");
      case ReleaseSealed _ -> ReleaseProblems.sealed(detail);
      case PathReserved _ ->
          Problems.of(
              HttpStatus.BAD_REQUEST,
              "Path reserved",
              detail
                  + ". Choose a path that does not begin with '@'; docs/releases.md describes"
                  + " channels.");
      case PathUsed _ ->
          Problems.of(
              HttpStatus.CONFLICT,
              "Path used",
              detail
                  + ". A path never takes other bytes, because caches and devices may have the old"
                  + " ones: use another path, or upload the same bytes again. An admin may let the"
                  + " paths of a repository change, with PATCH /api/v1/repositories/{repository}"
                  + " and {\"mutable\": true}.");
      case DigestMismatch _ ->
          typed(
              "digest-mismatching-values",
              HttpStatus.BAD_REQUEST,
              "Digest mismatch",
              detail + ". Nothing was kept; upload again.");
      case LengthMismatch _ ->
          Problems.of(
              HttpStatus.BAD_REQUEST,
              "Length mismatch",
              detail + ". Nothing was kept; upload again.");
      case SourceFailed _ ->
          Problems.of(HttpStatus.BAD_REQUEST, "Upload interrupted", detail + ". Nothing was kept.");
      case DeletedMeanwhile _ ->
          Problems.unavailable("Deleted meanwhile", detail + ". Nothing was kept; upload again.");
      case TooLarge _ ->
          Problems.of(
              HttpStatus.CONTENT_TOO_LARGE,
              "Artifact too large",
              detail + ". The setting is artifact-server.upload.max-artifact-size.");
      case QuotaExceeded _ ->
          Problems.of(
              HttpStatus.INSUFFICIENT_STORAGE,
              "Quota exceeded",
              detail + ". Delete artifacts, or raise artifact-server.upload.max-total-size.");
      case RepositoryFull _ ->
          Problems.of(
              HttpStatus.INSUFFICIENT_STORAGE,
              "Quota exceeded",
              detail
                  + ". Delete artifacts, or raise it with PUT"
                  + " /api/v1/repositories/{repository}/quota.");
    };
  }
}
