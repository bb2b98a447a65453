package io.artifactserver.core.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digests;
import java.time.Instant;
import java.util.Set;

/**
 * Bytes that at least one artifact has, addressed by digest. Immutable.
 *
 * @param blob where the bytes are
 * @param digests of the plain bytes
 * @param createdAt when the bytes were first stored
 * @param repositories that have an artifact with these bytes; who may read one of them may read the
 *     content
 */
public record Content(
    BlobRef blob, Digests digests, Instant createdAt, Set<Repository> repositories) {
  public Content {
    repositories = Set.copyOf(repositories);
  }
}
