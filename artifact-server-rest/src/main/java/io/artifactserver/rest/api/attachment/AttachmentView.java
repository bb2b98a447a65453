package io.artifactserver.rest.api.attachment;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.attachment.Attachment;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.rest.api.artifact.ArtifactView;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An attachment as the API shows it. Immutable.
 *
 * @param kind {@code sbom}, {@code vex}, {@code signature}, {@code provenance} or {@code notes}
 * @param sha256 of its bytes, lower-case hexadecimal
 * @param mediaType as it was sent
 * @param length in bytes
 * @param format that it was read as, such as {@code CycloneDX 1.6}; absent if it was not read
 * @param read whether it was; absent if documents of its kind never are
 * @param verified whether it is a good signature of a key that the repository trusts; absent if it
 *     says nothing about who made the artifact
 * @param verifiedBy name of that key; absent if there is none
 * @param labels absent if there are none
 * @param created when it was attached
 * @param self path of its bytes on this server
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record AttachmentView(
    String kind,
    String sha256,
    String mediaType,
    @JsonInclude(JsonInclude.Include.ALWAYS) int length,
    String format,
    @Nullable Boolean read,
    @Nullable Boolean verified,
    @Nullable String verifiedBy,
    Map<String, String> labels,
    Instant created,
    String self) {
  /**
   * The view of an attachment.
   *
   * @param signers of the artifact's signatures: names of keys, by the SHA-256 of signatures
   */
  static AttachmentView of(Artifact artifact, Attachment attachment, Map<Digest, String> signers) {
    @Nullable String signer = signers.get(attachment.sha256());
    return new AttachmentView(
        attachment.kind().toString(),
        attachment.sha256().hex(),
        attachment.mediaType(),
        attachment.length(),
        attachment.format(),
        switch (attachment.kind()) {
          case SBOM, VEX -> !attachment.format().isEmpty();
          case SIGNATURE, PROVENANCE, NOTES -> null;
        },
        switch (attachment.kind()) {
          case SIGNATURE, PROVENANCE -> signer != null;
          case SBOM, VEX, NOTES -> null;
        },
        signer,
        attachment.labels().values(),
        attachment.createdAt(),
        address(artifact) + '/' + attachment.sha256().hex());
  }

  /** The value of a Link field (RFC 8288) that names the attachment. */
  static String link(AttachmentView view) {
    return "<%s>; rel=\"describedby\"; title=\"%s\"".formatted(view.self(), view.kind());
  }

  /** The path of the attachments of an artifact. */
  static String address(Artifact artifact) {
    return ArtifactView.of(artifact).links().self() + "/attachments";
  }
}
