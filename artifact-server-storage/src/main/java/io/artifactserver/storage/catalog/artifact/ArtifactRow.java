package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.Hold;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.catalog.Support;
import io.artifactserver.core.digest.Digests;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code artifact}, with its repository's and its blob's.
 *
 * @param hold null if there is none, or if it has ended
 */
record ArtifactRow(
    long id,
    Repository repository,
    String path,
    BlobRow blob,
    String mediaType,
    Instant createdAt,
    @Nullable Hold hold,
    @Nullable Support support) {
  /** The columns of the tables, which the statement calls {@code a}, {@code r} and {@code b}. */
  static final String COLUMNS =
      "a.id as artifact_id, a.path, a.media_type, a.created_at as artifact_created_at, "
          // By the database's clock, which all servers of an installation share.
          + "case when a.held_until > now() then a.held_until end as held_until, a.hold_reason, "
          + "a.release, a.support_end, "
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
        row.getTimestamp("artifact_created_at").toInstant(),
        hold(row),
        support(row));
  }

  Artifact toArtifact(Digests digests) {
    return new Artifact(repository, path, blob.ref(), mediaType, digests, createdAt, hold, support);
  }

  private static @Nullable Hold hold(ResultSet row) throws SQLException {
    @Nullable Timestamp until = row.getTimestamp("held_until");
    return until == null ? null : new Hold(until.toInstant(), row.getString("hold_reason"));
  }

  /** The support of an artifact that is there, or of one that was. */
  static @Nullable Support support(ResultSet row) throws SQLException {
    @Nullable String release = row.getString("release");
    return release == null
        ? null
        : new Support(
            Support.Release.valueOf(release),
            YearMonth.from(row.getObject("support_end", LocalDate.class)));
  }
}
