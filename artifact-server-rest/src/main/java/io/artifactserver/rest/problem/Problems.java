package io.artifactserver.rest.problem;

import io.artifactserver.core.access.LinkRefusedException;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobCorrupt;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageFull;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.UsedPath;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.eclipse.jetty.http.HttpException;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * Problem details (RFC 9457) of every failure: what happened, to which thing, and what to do. The
 * only place that turns a failure into a status, but for uploads ({@link UploadProblems}). Pure
 * functions.
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

  /** A request that Jetty could not read. */
  public static ProblemDetail of(HttpException failure) {
    @Nullable String reason = failure.getReason();
    return ofStatus(HttpStatus.valueOf(failure.getCode()), reason == null ? "" : reason);
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
              "The request is malformed%s. The server did not read on."
                  .formatted(reason.isEmpty() ? "" : " (" + reason + ')');
          case NOT_FOUND ->
              "There is nothing at this address. Artifacts are at"
                  + " /artifacts/{repository}/{path}; /v3/api-docs describes the API.";
          case URI_TOO_LONG -> "The request target is too long.";
          case REQUEST_HEADER_FIELDS_TOO_LARGE ->
              "The request's header fields are too large, or too many. Send fewer fields or ranges.";
          default -> "The server cannot answer this request.";
        };
    return of(status, status.getReasonPhrase(), detail);
  }

  static ProblemDetail unavailable(String title, String detail) {
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
        "Send a valid token: \"Authorization: Bearer TOKEN\", or as hawkBit's devices do,"
            + " \"GatewayToken TOKEN\" or \"TargetToken TOKEN\". The operator's token is in the"
            + " file operator-token of the data folder; devices get theirs from POST"
            + " /api/v1/tokens.");
  }

  /**
   * 403: the caller is known and may not.
   *
   * @param reason what it lacks, in a sentence
   */
  public static ProblemDetail forbidden(String reason) {
    return of(
        HttpStatus.FORBIDDEN,
        "Not allowed",
        reason + " docs/access.md lists what each role may do.");
  }

  /** 403: a browser was made to send it. */
  public static ProblemDetail anotherSite() {
    return of(
        HttpStatus.FORBIDDEN,
        "Request of another site",
        "A page of another site made the browser send this (Sec-Fetch-Site, Origin). Changes are"
            + " accepted from this server's own pages and from programs only.");
  }

  /** 403: a signed link is not good. */
  public static ProblemDetail linkRefused(LinkRefusedException refusal) {
    return of(HttpStatus.FORBIDDEN, "Link not valid", refusal.getMessage() + '.');
  }

  /** 404: nothing is there, or nothing that the caller may know of. */
  public static ProblemDetail notFound() {
    return of(
        HttpStatus.NOT_FOUND,
        "Not found",
        "There is nothing here that you may read. Check the address, and whether your token's"
            + " repositories and paths include it.");
  }

  /** 404: what is computed of an artifact is not there yet. */
  public static ProblemDetail notReady() {
    return of(
        HttpStatus.NOT_FOUND,
        "Not ready yet",
        "The artifact exists, and its update forms are still being computed. Try again after"
            + " Retry-After seconds.");
  }

  /** 404: what is computed of an artifact went between its lookup and its opening. */
  public static ProblemDetail dropped() {
    return of(
        HttpStatus.NOT_FOUND,
        "Dropped meanwhile",
        "The update forms of this artifact were dropped while this request was handled: the"
            + " artifact was deleted, or its forms are being computed again. Try again after"
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
        "Body too slow",
        "The body was not complete within %d s. Send it at once, with its Content-Length."
            .formatted(time.toSeconds()));
  }

  /** 413: nothing but an artifact is that long. */
  public static ProblemDetail bodyTooLong(int maxLength) {
    return of(
        HttpStatus.CONTENT_TOO_LARGE,
        "Body too long",
        "A body may have at most %,d bytes here. Upload artifacts with PUT".formatted(maxLength)
            + " /api/v1/repositories/{repository}/artifacts/{path}.");
  }

  /** 415: the resource takes no body. */
  public static ProblemDetail noBodyTaken() {
    return of(
        HttpStatus.UNSUPPORTED_MEDIA_TYPE,
        "Body not allowed",
        "This resource takes parameters in the query only. Send no body and no Content-Type.");
  }

  /** 501: no resource here knows the method. */
  public static ProblemDetail methodNotImplemented(String method) {
    return of(
        HttpStatus.NOT_IMPLEMENTED,
        "Method not implemented",
        "No resource of this server knows the method " + method + '.');
  }

  /** 429: many wrong secrets came from the address, or for the token. */
  public static ProblemDetail tooManyWrongSecrets() {
    return of(
        HttpStatus.TOO_MANY_REQUESTS,
        "Too many wrong tokens",
        "Too many wrong tokens came from this address, or too many wrong secrets for this token, so"
            + " this one was not checked. Try again in a second.");
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

  /** 409: the artifact stays. */
  public static ProblemDetail held(ArtifactId id, Hold hold) {
    return of(
        HttpStatus.CONFLICT,
        "Held",
        "%s is held until %s (%s). Nobody can delete it before, nor shorten the hold; an admin can extend it."
            .formatted(id, hold.until(), hold.reason()));
  }

  /** 412: the caller's precondition does not hold. */
  public static ProblemDetail preconditionFailed() {
    return of(
        HttpStatus.PRECONDITION_FAILED,
        "Precondition failed",
        "The artifact is not the one that If-Match or If-Unmodified-Since names. Start the download"
            + " again without it.");
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
            ? "This address has too many connections. Close some, or"
                + " raise artifact-server.connections.max-per-address."
            : "The server has too many connections. Try again later, or raise"
                + " artifact-server.connections.max.");
  }

  /** 503: the queue of a repository is full. */
  public static ProblemDetail tooManyDownloads() {
    return unavailable(
        "Too many downloads",
        "The download queue of this repository, or your share of it, is full. Try again"
            + " after Retry-After seconds. Operators can raise \"concurrentDownloads\" in the"
            + " repository's limits, or artifact-server.limit.max-waiting.");
  }

  /** 503: too many devices ask for what has to be looked up. */
  public static ProblemDetail tooManyLookups() {
    return unavailable(
        "Too many lookups",
        "Too many requests, of this client or of all, are waiting for the catalog. Try again"
            + " later.");
  }

  /** 503: as many requests of the control plane as there may be are under way. */
  public static ProblemDetail busy() {
    return unavailable(
        "Busy",
        "The server is handling as many requests as it can, or this caller already has its share of"
            + " them. Try again later.");
  }

  /** 503: nothing is changed any more. */
  public static ProblemDetail stopping() {
    return unavailable(
        "Stopping", "The server is stopping and accepts no more changes. Try again.");
  }

  /** 503: the catalog's database cannot be asked. */
  public static ProblemDetail catalogUnavailable() {
    return unavailable(
        "Catalog unavailable",
        "The catalog's database does not answer. Try again later. Operators: see"
            + " /actuator/health.");
  }

  /** 503: the identity provider does not tell how to verify its tokens, or who somebody is. */
  public static ProblemDetail issuerUnavailable() {
    return unavailable(
        "Identity provider unavailable",
        "The identity provider does not answer, so its tokens cannot be verified, and nobody can sign"
            + " in. Try again later; the server's log says why. Tokens of this server still work.");
  }

  /** 503: hawkBit cannot be asked, or its file cannot be served now. */
  public static ProblemDetail hawkbitUnavailable() {
    return unavailable(
        "hawkBit unavailable",
        "hawkBit does not answer, or its file of this artifact is incomplete or not readable here."
            + " Try again later; the server's log says which.");
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
              "The bytes of this artifact are missing from the storage at the moment. Try again"
                  + " later. If that does not help, upload the same bytes again; the"
                  + " server's log names the blob.");
      case BlobCorrupt _ ->
          of(
              HttpStatus.INTERNAL_SERVER_ERROR,
              "Artifact damaged",
              "The stored bytes of this artifact are damaged. To repair it, upload the same bytes"
                  + " again; the server's log names the blob.");
      case StorageFull _ ->
          of(
              HttpStatus.INSUFFICIENT_STORAGE,
              "Storage full",
              "There is no room for these bytes. Make room, then upload again; a resumable upload"
                  + " goes on from the offset that HEAD tells.");
      case StorageUnavailable _ ->
          unavailable(
              "Storage unavailable",
              "The storage does not answer. Try again later. Operators: see"
                  + " /actuator/health.");
    };
  }
}
