package io.artifactserver.rest.problem;

import io.artifactserver.core.attachment.Attachment;
import io.artifactserver.core.attachment.AttachmentKind;
import io.artifactserver.core.attachment.BadDocumentException;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.digest.Digest;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/** Problem details of attachments. Pure functions. */
public final class AttachmentProblems {
  private AttachmentProblems() {}

  /** 400: a request that says too little. */
  public static ProblemException malformed(String detail) {
    return new ProblemException(HttpStatus.BAD_REQUEST, "Malformed attachment", detail);
  }

  /** 404: the artifact has no such attachment. */
  public static ProblemException notFound(ArtifactId id, Digest sha256) {
    return new ProblemException(
        HttpStatus.NOT_FOUND,
        "No such attachment",
        "%s has no attachment with the SHA-256 %s. GET .../attachments lists those that it has."
            .formatted(id, sha256.hex()));
  }

  /** 409: the same bytes are attached as something else. */
  public static ProblemException otherKind(ArtifactId id, Attachment present) {
    return new ProblemException(
        HttpStatus.CONFLICT,
        "Attached already",
        "%s has these bytes as an attachment of the kind \"%s\". Delete that one first."
            .formatted(id, present.kind()));
  }

  /** 409: a hold keeps the artifact, and what is known of it. */
  public static ProblemException held(ArtifactId id, Hold hold) {
    return new ProblemException(
        HttpStatus.CONFLICT,
        "Held",
        "%s is held until %s (%s), and its attachments with it."
            .formatted(id, hold.until(), hold.reason()));
  }

  /** 409: an artifact has as many as it may have. */
  public static ProblemException tooMany(ArtifactId id, int max) {
    return new ProblemException(
        HttpStatus.CONFLICT,
        "Too many attachments",
        "%s has %d attachments, and may have no more. Delete one that nobody needs."
            .formatted(id, max));
  }

  /** 413: one is larger than it may be. */
  public static ProblemException tooLarge(AttachmentKind kind, int max) {
    return new ProblemException(
        HttpStatus.CONTENT_TOO_LARGE,
        "Attachment too large",
        "An attachment of the kind \"%s\" may have at most %,d bytes here.".formatted(kind, max));
  }

  /** 507: all together take as much as they may. */
  public static ProblemException full(long max) {
    return new ProblemException(
        HttpStatus.INSUFFICIENT_STORAGE,
        "Attachments full",
        "All attachments together may take %,d bytes. Delete some, or ask the operator to raise artifact-server.attachments.max-total-size."
            .formatted(max));
  }

  /** 422: a document is not what its kind says. */
  static ProblemDetail of(BadDocumentException failure) {
    return Problems.of(
        HttpStatus.UNPROCESSABLE_CONTENT,
        "Broken document",
        failure.getMessage() + ". Correct the document, and attach it again.");
  }
}
