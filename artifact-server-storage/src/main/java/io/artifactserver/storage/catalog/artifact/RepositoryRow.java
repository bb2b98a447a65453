package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Repository;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** A row of {@code repository}. */
record RepositoryRow(long id, Repository repository) {
  /** The columns of the table, which the statement calls {@code r}. */
  static final String COLUMNS =
      """
      r.id as repository_id, r.name, r.public, r.encrypted as repository_encrypted, r.redirects,
      r.mutable, r.max_age_seconds, r.created_at as repository_created_at
      """;

  static RepositoryRow of(ResultSet row) throws SQLException {
    PathPolicy paths =
        new PathPolicy(
            row.getBoolean("mutable"), Duration.ofSeconds(row.getInt("max_age_seconds")));
    return new RepositoryRow(
        row.getLong("repository_id"),
        new Repository(
            row.getString("name"),
            row.getBoolean("public"),
            row.getBoolean("repository_encrypted"),
            row.getBoolean("redirects"),
            paths,
            row.getTimestamp("repository_created_at").toInstant()));
  }
}
