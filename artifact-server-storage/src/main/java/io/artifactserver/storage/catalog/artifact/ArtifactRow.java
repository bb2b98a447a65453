package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digests;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

/** A row of {@code artifact}, with its repository's and its blob's. */
record ArtifactRow(
    long id,
    Repository repository,
    String path,
    BlobRow blob,
    String mediaType,
    Instant createdAt) {
  /** The columns of the tables, which the statement calls {@code a}, {@code r} and {@code b}. */
  static final String COLUMNS =
      "a.id as artifact_id, a.path, a.media_type, a.created_at as artifact_created_at, "
          + RepositoryRow.COLUMNS
          + ", "
          + BlobRow.COLUMNS;

  static ArtifactRow of(ResultSet row) throws SQLException {
    return new ArtifactRow(
        row.getLong("artifact_id"),
        RepositoryRow.of(row).repository(),
        row.getString("path"),
        BlobRow.of(row),
        row.getString("media_type"),
        row.getTimestamp("artifact_created_at").toInstant());
  }

  Artifact toArtifact(Digests digests) {
    return new Artifact(repository, path, blob.ref(), mediaType, digests, createdAt);
  }
}
