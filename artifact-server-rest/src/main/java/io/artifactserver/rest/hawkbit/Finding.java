package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.grant.GrantedArtifact;
import io.artifactserver.core.grant.GrantedFile;

/** The result of a device's wish for a file. Immutable. */
public sealed interface Finding {
  /** The device may have it, and here it is. */
  record Found(GrantedArtifact artifact, GrantedFile file) implements Finding {}

  /** There is nothing of this name for the device. */
  record NotFound() implements Finding {}

  /** The token is not good. */
  record Unauthorized() implements Finding {}

  /**
   * It cannot be served now.
   *
   * @param reason for the operator: names the thing, and what to do
   */
  record Unavailable(String reason) implements Finding {}

  /**
   * It is never served as long as it is what it is.
   *
   * @param reason for the operator
   */
  record Refused(String reason) implements Finding {
    /** Only hawkBit can decrypt it. */
    static Refused encrypted(GrantedArtifact artifact) {
      return new Refused(
          "hawkBit has \"%s\" of tenant %s encrypted: let devices of encrypted modules download from hawkBit itself"
              .formatted(artifact.fileName(), artifact.tenant()));
    }
  }
}
