package io.artifactserver.core.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.digest.Digests;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A named file that an operator uploaded and devices download. Its bytes never change. Immutable.
 *
 * @param repository it belongs to
 * @param path within the repository
 * @param blob where its bytes are
 * @param mediaType as the operator gave it
 * @param digests of its plain bytes
 * @param createdAt when it was put, cut to microseconds (PostgreSQL's resolution)
 * @param hold that kept it when the catalog was asked; null if there was none
 * @param support null if nobody has said it
 */
public record Artifact(
    Repository repository,
    String path,
    BlobRef blob,
    String mediaType,
    Digests digests,
    Instant createdAt,
    @Nullable Hold hold,
    @Nullable Support support) {
  /** An artifact that was just put. */
  public Artifact(
      Repository repository,
      String path,
      BlobRef blob,
      String mediaType,
      Digests digests,
      Instant createdAt) {
    this(repository, path, blob, mediaType, digests, createdAt, null, null);
  }

  /** The repository's name and the path. */
  public ArtifactId id() {
    return new ArtifactId(repository.name(), path);
  }

  /** Length of the plain bytes. */
  public long length() {
    return blob.length();
  }
}
