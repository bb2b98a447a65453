package io.artifactserver.core.catalog;

import io.artifactserver.core.digest.Digest;
import java.time.Duration;
import java.time.Instant;

/**
 * A path whose artifact was deleted. It is kept for ever, so that the path never takes other bytes.
 * Immutable.
 *
 * @param id of the artifact that was deleted last
 * @param sha256 of that artifact's bytes
 * @param deletedAt when it was deleted
 */
public record UsedPath(ArtifactId id, Digest sha256, Instant deletedAt) {
  /** How long clients are told that the artifact was deleted; afterwards it is not found. */
  public static final Duration GONE = Duration.ofDays(365);

  /** Whether clients are still told of the deletion. */
  public boolean isGone(Instant now) {
    return now.isBefore(deletedAt.plus(GONE));
  }
}
