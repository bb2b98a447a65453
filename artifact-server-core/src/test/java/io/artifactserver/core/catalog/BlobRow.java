package io.artifactserver.core.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digests;
import java.time.Instant;

/**
 * A row of the table of blobs.
 *
 * @param retiredAt since when no artifact refers to it; {@link Instant#MAX} while one does
 */
record BlobRow(BlobRef ref, Digests digests, Instant createdAt, Instant retiredAt) {
  boolean isRetired() {
    return !retiredAt.equals(Instant.MAX);
  }

  BlobRow withRetiredAt(Instant instant) {
    return new BlobRow(ref, digests, createdAt, instant);
  }
}
