package io.artifactserver.core.digest;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * The digests of one content, one of each algorithm; SHA-256 is always among them. Immutable.
 *
 * @param values by algorithm
 */
public record Digests(Map<DigestAlgorithm, Digest> values) {
  /**
   * @throws IllegalArgumentException if SHA-256 is missing or a digest stands under another
   *     algorithm's key
   */
  public Digests {
    if (!values.containsKey(DigestAlgorithm.SHA_256)) {
      throw new IllegalArgumentException("Digests without SHA-256");
    }
    values.forEach((algorithm, digest) -> {
      if (digest.algorithm() != algorithm) {
        throw new IllegalArgumentException(digest + " under the key " + algorithm);
      }
    });
    values = Collections.unmodifiableMap(new EnumMap<>(values));
  }

  /** The digest that identifies the content. */
  public Digest sha256() {
    return get(DigestAlgorithm.SHA_256).orElseThrow();
  }

  /** The digest of this algorithm; empty for content stored before the algorithm was added. */
  public Optional<Digest> get(DigestAlgorithm algorithm) {
    return Optional.ofNullable(values.get(algorithm));
  }
}
