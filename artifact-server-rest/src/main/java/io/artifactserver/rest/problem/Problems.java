package io.artifactserver.rest.problem;

import io.artifactserver.core.access.LinkRefusedException;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobCorrupt;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageFull;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.UsedPath;
import io.artifactserver.core.ingest.IngestException;
import io.artifactserver.core.ingest.IngestException.DeletedMeanwhile;
import io.artifactserver.core.ingest.IngestException.DigestMismatch;
import io.artifactserver.core.ingest.IngestException.LengthMismatch;
import io.artifactserver.core.ingest.IngestException.PathTaken;
import io.artifactserver.core.ingest.IngestException.PathUsed;
import io.artifactserver.core.ingest.IngestException.QuotaExceeded;
import io.artifactserver.core.ingest.IngestException.RepositoryFull;
import io.artifactserver.core.ingest.IngestException.RepositoryNotFound;
import io.artifactserver.core.ingest.IngestException.SourceFailed;
import io.artifactserver.core.ingest.IngestException.TooLarge;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * Problem details (RFC 9457) of every failure: what happened, to which thing, and what to do. The
 * only place that turns a failure into a status. Pure functions.
 */
public final class Problems {
  /** Seconds to wait that a 503 suggests. */
  public static final int RETRY_AFTER_SECONDS = 5;

  /** Seconds to wait that a 429 suggests. */
  public static final int THROTTLED_SECONDS = 1;

  private Problems() {}

  /** A problem with a title of its own. */
  public static ProblemDetail of(HttpStatus status, String title, String detail) {
    ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
    problem.setTitle(title);
    return problem;
  }

  /**
   * A problem of which no more is known than its status.
   *
   * @param reason why a malformed request was refused; may be empty
   */
  public static ProblemDetail ofStatus(HttpStatus status, String reason) {
    String detail =
        switch (status) {
          case BAD_REQUEST ->
              "The request is malformed%s; the server read no further."
                  .formatted(reason.isEmpty() ? "" : " (" + reason + ')');
          case NOT_FOUND -> "There is nothing at this address; /v3/api-docs describes the API.";
          case URI_TOO_LONG -> "The request target is too long.";
          case REQUEST_HEADER_FIELDS_TOO_LARGE ->
              "The request's fields are too large together: send fewer ranges or fields.";
          default -> "The server cannot answer this request.";
        };
    return of(status, status.getReasonPhrase(), detail);
  }

  private static ProblemDetail unavailable(String title, String detail) {
    return of(HttpStatus.SERVICE_UNAVAILABLE, title, detail);
  }

  /** 400: a name that nothing can have. */
  public static ProblemDetail invalidName(String rule) {
    return of(HttpStatus.BAD_REQUEST, "Invalid name", rule + '.');
  }

  /** 401: the caller is nobody we know. */
  public static ProblemDetail unauthorized() {
    return of(
        HttpStatus.UNAUTHORIZED,
        "Token needed",
        "Send a good token: \"Authorization: Bearer TOKEN\", or as hawkBit's devices do,"
            + " \"GatewayToken TOKEN\" or \"TargetToken TOKEN\". The operator's token is in the"
            + " file operator-token of the data folder; devices get theirs from POST"
            + " /api/v1/tokens.");
  }

  /** 403: the caller is known and may not. */
  public static ProblemDetail forbidden() {
    return of(
        HttpStatus.FORBIDDEN,
        "Not allowed",
        "The role or the scope of this token does not allow this; an admin's token allows"
            + " everything. docs/access.md has the table.");
  }

  /** 403: a browser was made to send it. */
  public static ProblemDetail anotherSite() {
    return of(
        HttpStatus.FORBIDDEN,
        "Request of another site",
        "A page of another site made the browser send this (Sec-Fetch-Site, Origin). What changes"
            + " something is accepted from this server's own pages and from programs.");
  }

  /** 403: a signed link is not good. */
  public static ProblemDetail linkRefused(LinkRefusedException refusal) {
    return of(HttpStatus.FORBIDDEN, "Link not good", refusal.getMessage() + '.');
  }

  /** 404: nothing is there, or nothing that the caller may know of. */
  public static ProblemDetail notFound() {
    return of(
        HttpStatus.NOT_FOUND,
        "Not found",
        "There is nothing here that this token may read. GET"
            + " /api/v1/repositories/{repository}/artifacts lists what there is.");
  }

  /** 404: what is computed of an artifact is not there yet. */
  public static ProblemDetail notReady() {
    return of(
        HttpStatus.NOT_FOUND,
        "Not ready yet",
        "The artifact is there, and what updates need of it is being computed: ask again after"
            + " Retry-After seconds.");
  }

  /** 404: what is computed of an artifact went between its lookup and its opening. */
  public static ProblemDetail dropped() {
    return of(
        HttpStatus.NOT_FOUND,
        "Dropped meanwhile",
        "What updates need of this artifact was dropped while this request looked for it: the"
            + " artifact was deleted, or its forms are being computed again. Ask again after"
            + " Retry-After seconds.");
  }

  /** 404: no such repository. */
  public static ProblemDetail repositoryNotFound(String repository) {
    return of(
        HttpStatus.NOT_FOUND,
        "No such repository",
        "There is no repository \"%s\". POST /api/v1/repositories creates one."
            .formatted(repository));
  }

  /** 404: no such artifact. */
  public static ProblemDetail artifactNotFound(ArtifactId id) {
    return of(
        HttpStatus.NOT_FOUND,
        "No such artifact",
        "There is no artifact \"%s\". GET /api/v1/repositories/%s/artifacts lists them."
            .formatted(id, id.repository()));
  }

  /** 405: the resource knows other methods. */
  public static ProblemDetail methodNotAllowed(String allowed) {
    return of(
        HttpStatus.METHOD_NOT_ALLOWED, "Method not allowed", "Allowed here: " + allowed + '.');
  }

  /** 408: the client began a body, and did not end it. */
  public static ProblemDetail bodyTooLate(Duration time) {
    return of(
        HttpStatus.REQUEST_TIMEOUT,
        "Body too late",
        "The body was not there within %d s. Send it at once, with its Content-Length."
            .formatted(time.toSeconds()));
  }

  /** 413: nothing but an artifact is that long. */
  public static ProblemDetail bodyTooLong(int maxLength) {
    return of(
        HttpStatus.CONTENT_TOO_LARGE,
        "Body too long",
        "A body has at most %,d bytes here. Artifacts are uploaded with PUT".formatted(maxLength)
            + " /api/v1/repositories/{repository}/artifacts/{path}.");
  }

  /** 415: the resource takes no body. */
  public static ProblemDetail noBodyTaken() {
    return of(
        HttpStatus.UNSUPPORTED_MEDIA_TYPE,
        "No body taken",
        "This resource takes parameters in the query only. Send neither a body nor a Content-Type.");
  }

  /** 501: no resource here knows the method. */
  public static ProblemDetail methodNotImplemented(String method) {
    return of(
        HttpStatus.NOT_IMPLEMENTED,
        "Method not implemented",
        "No resource here knows " + method + '.');
  }

  /** 429: many wrong secrets came from the address, or for the token. */
  public static ProblemDetail tooManyWrongSecrets() {
    return of(
        HttpStatus.TOO_MANY_REQUESTS,
        "Too many wrong tokens",
        "So many tokens from this address, or so many secrets for this token, were wrong that this"
            + " one was not looked up. Try again in a second.");
  }

  /** 410: the artifact was deleted not long ago. */
  public static ProblemDetail gone(UsedPath used) {
    return of(
        HttpStatus.GONE,
        "Deleted",
        "%s was deleted at %s; its bytes had %s. Ask for another artifact. An operator may upload the"
                .formatted(
                    used.id(), used.deletedAt().truncatedTo(ChronoUnit.SECONDS), used.sha256())
            + " same bytes again.");
  }

  /** 412: the caller's precondition does not hold. */
  public static ProblemDetail preconditionFailed() {
    return of(
        HttpStatus.PRECONDITION_FAILED,
        "Precondition failed",
        "The artifact is not the one that If-Match or If-Unmodified-Since names. Begin the download"
            + " again without it.");
  }

  /** 503: as many uploads as there may be are under way. */
  public static ProblemDetail tooManyUploads() {
    return unavailable(
        "Too many uploads",
        "As many uploads as there may be are under way, or this token has as many of them as are"
            + " left to others. Try again in a while, or raise"
            + " artifact-server.upload.max-concurrent.");
  }

  /** 429: the caller has changed enough for a day. */
  public static ProblemDetail tooManyChanges() {
    return of(
        HttpStatus.TOO_MANY_REQUESTS,
        "Too many changes",
        "This caller has made as many changes as it may in a day. Try again after midnight UTC, or"
            + " raise artifact-server.audit.max-changes-per-caller.");
  }

  /** 503: the connection is one too many. */
  public static ProblemDetail tooManyConnections(boolean ofOneAddress) {
    return unavailable(
        "Too many connections",
        ofOneAddress
            ? "There are as many connections from this address as there may be. Close some, or"
                + " raise artifact-server.connections.max-per-address."
            : "There are as many connections as there may be. Try again in a while, or raise"
                + " artifact-server.connections.max.");
  }

  /** 503: the queue of a repository is full. */
  public static ProblemDetail tooManyDownloads() {
    return unavailable(
        "Too many downloads",
        "As many downloads of this repository, or of this client, as may wait are waiting. Try again"
            + " after Retry-After seconds; operators raise \"concurrentDownloads\" of the"
            + " repository's limits, or artifact-server.limit.max-waiting.");
  }

  /** 503: too many devices ask for what has to be looked up. */
  public static ProblemDetail tooManyLookups() {
    return unavailable(
        "Too many lookups",
        "As many requests of this client, or of all, wait for the catalog as may wait. Try again in"
            + " a while.");
  }

  /** 503: as many requests of the control plane as there may be are under way. */
  public static ProblemDetail busy() {
    return unavailable(
        "Busy", "As many requests as there may be are under way. Try again in a while.");
  }

  /** 503: nothing is changed any more. */
  public static ProblemDetail stopping() {
    return unavailable("Stopping", "The server stops, and changes nothing any more. Try again.");
  }

  /** 503: the catalog's database cannot be asked. */
  public static ProblemDetail catalogUnavailable() {
    return unavailable(
        "Catalog unavailable",
        "The catalog's database does not answer. Try again in a while; operators look at"
            + " /actuator/health.");
  }

  /** 503: the identity provider does not tell how to verify its tokens, or who somebody is. */
  public static ProblemDetail issuerUnavailable() {
    return unavailable(
        "Identity provider unavailable",
        "The identity provider cannot be asked, so its tokens cannot be verified, and nobody can sign"
            + " in. Try again in a while; the server's log says why. Tokens of this server work.");
  }

  /** 503: hawkBit cannot be asked, or its file cannot be served now. */
  public static ProblemDetail hawkbitUnavailable() {
    return unavailable(
        "hawkBit unavailable",
        "hawkBit does not answer, or its file of this artifact is not whole or not readable here."
            + " Try again in a while; the server's log says which.");
  }

  /** 404: hawkBit's folder has only the ciphertext. */
  public static ProblemDetail hawkbitEncrypts() {
    return of(
        HttpStatus.NOT_FOUND,
        "Encrypted by hawkBit",
        "hawkBit keeps this artifact encrypted, and only hawkBit can decrypt it. Let the devices of"
            + " encrypted software modules download from hawkBit itself.");
  }

  /** A failure of a backend. */
  public static ProblemDetail of(StorageException failure) {
    return switch (failure) {
      case BlobNotFound _ ->
          unavailable(
              "Artifact missing",
              "The storage does not have the bytes of this artifact at the moment. Try again in a"
                  + " while. If that does not help, a publisher uploads the same bytes again; the"
                  + " server's log names the blob.");
      case BlobCorrupt _ ->
          of(
              HttpStatus.INTERNAL_SERVER_ERROR,
              "Artifact damaged",
              "The stored bytes of this artifact are damaged. They are right again once a publisher"
                  + " uploads the same bytes; the server's log names the blob.");
      case StorageFull _ ->
          of(
              HttpStatus.INSUFFICIENT_STORAGE,
              "Storage full",
              "There is no room for these bytes; nothing of them was kept. An operator frees or"
                  + " adds space, then the upload can be repeated.");
      case StorageUnavailable _ ->
          unavailable(
              "Storage unavailable",
              "The storage does not answer. Try again in a while; operators look at"
                  + " /actuator/health.");
    };
  }

  /** A failure of an upload. */
  public static ProblemDetail of(IngestException failure) {
    String detail = failure.getMessage();
    return switch (failure) {
      case RepositoryNotFound _ ->
          of(
              HttpStatus.NOT_FOUND,
              "No such repository",
              detail + ". POST /api/v1/repositories creates one.");
      case PathTaken _ ->
          of(
              HttpStatus.CONFLICT,
              "Path taken",
              detail
                  + ". Artifacts never change: use another path. Deleting this one first helps in"
                  + " a mutable repository only.");
      case PathUsed _ ->
          of(
              HttpStatus.CONFLICT,
              "Path used",
              detail
                  + ". A path never takes other bytes, because caches and devices may have the old"
                  + " ones: use another path, or upload the same bytes again. An admin may let the"
                  + " paths of a repository change, with PATCH /api/v1/repositories/{repository}"
                  + " and {\"mutable\": true}.");
      case DigestMismatch _ ->
          of(
              HttpStatus.BAD_REQUEST,
              "Digest mismatch",
              detail + ". Nothing was kept; upload again.");
      case LengthMismatch _ ->
          of(
              HttpStatus.BAD_REQUEST,
              "Length mismatch",
              detail + ". Nothing was kept; upload again.");
      case SourceFailed _ ->
          of(HttpStatus.BAD_REQUEST, "Upload broken off", detail + ". Nothing was kept.");
      case DeletedMeanwhile _ ->
          unavailable("Deleted meanwhile", detail + ". Nothing was kept; upload again.");
      case TooLarge _ ->
          of(
              HttpStatus.CONTENT_TOO_LARGE,
              "Artifact too large",
              detail + ". The setting is artifact-server.upload.max-artifact-size.");
      case QuotaExceeded _ ->
          of(
              HttpStatus.INSUFFICIENT_STORAGE,
              "Quota exceeded",
              detail + ". Delete artifacts, or raise artifact-server.upload.max-total-size.");
      case RepositoryFull _ ->
          of(
              HttpStatus.INSUFFICIENT_STORAGE,
              "Quota exceeded",
              detail
                  + ". Delete artifacts, or raise it with PUT"
                  + " /api/v1/repositories/{repository}/quota.");
    };
  }
}
