package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.grant.GrantedArtifact;
import java.util.List;
import java.util.Optional;

/** hawkBit's answer to a {@link Question}. Immutable. */
sealed interface Answer {
  /** The device may download these. */
  record Granted(List<GrantedArtifact> artifacts) implements Answer {
    /** The artifact with this name. */
    Optional<GrantedArtifact> artifact(String fileName) {
      for (GrantedArtifact artifact : artifacts) {
        if (artifact.fileName().equals(fileName)) {
          return Optional.of(artifact);
        }
      }
      return Optional.empty();
    }
  }

  /** The token is not good, or another device's. */
  record Unauthorized() implements Answer {}

  /** There is no such module, or it is not assigned to the device. */
  record NotFound() implements Answer {}

  /**
   * There is no answer now.
   *
   * @param reason for the log
   * @param isOutage whether hawkBit is at fault; not if too many wait, or if it disliked this
   *     question alone
   */
  record Unavailable(String reason, boolean isOutage) implements Answer {
    Unavailable(String reason) {
      this(reason, true);
    }
  }
}
