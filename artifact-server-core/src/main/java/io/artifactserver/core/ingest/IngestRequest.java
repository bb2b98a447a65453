package io.artifactserver.core.ingest;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import java.util.List;

/**
 * An operator's description of the bytes that follow. Immutable.
 *
 * @param id where the artifact shall be found
 * @param mediaType of the bytes
 * @param declaredLength in bytes, or {@link #UNKNOWN_LENGTH}
 * @param expectedDigests the bytes must have; empty if the operator named none
 */
public record IngestRequest(
    ArtifactId id, String mediaType, long declaredLength, List<Digest> expectedDigests) {
  /** The length of a body that does not announce one. */
  public static final long UNKNOWN_LENGTH = -1;

  public IngestRequest {
    expectedDigests = List.copyOf(expectedDigests);
  }
}
