package io.artifactserver.core.ingest;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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

  /** The same with a length in bytes. */
  public IngestRequest ofLength(long length) {
    return new IngestRequest(id, mediaType, length, expectedDigests);
  }

  /** The same with digests in place of those of the same algorithms. */
  public IngestRequest expecting(List<Digest> digests) {
    Map<DigestAlgorithm, Digest> expected = new EnumMap<>(DigestAlgorithm.class);
    expectedDigests.forEach(digest -> expected.put(digest.algorithm(), digest));
    digests.forEach(digest -> expected.put(digest.algorithm(), digest));
    return new IngestRequest(id, mediaType, declaredLength, List.copyOf(expected.values()));
  }

  /**
   * @param existing the artifact that has the path
   * @throws IngestException.PathTaken if the bytes are known to be others
   */
  void requireSame(Artifact existing) throws IngestException.PathTaken {
    for (Digest expected : expectedDigests) {
      Optional<Digest> present = existing.digests().get(expected.algorithm());
      if (present.isPresent() && !present.get().equals(expected)) {
        throw new IngestException.PathTaken(existing, expected);
      }
    }
  }
}
