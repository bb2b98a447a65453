package io.artifactserver.storage.migrate;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.migrate.StoredDigests;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * Asks the catalog's tables. Not through the catalog itself, which would bring the schema of a
 * server that runs beside up to date. Used by one thread.
 */
record CatalogDigests(SingleConnectionDataSource connection, JdbcClient jdbc)
    implements StoredDigests, AutoCloseable {
  static CatalogDigests connect(String jdbcUrl, String username, String password) {
    SingleConnectionDataSource connection =
        new SingleConnectionDataSource(jdbcUrl, username, password, true);
    return new CatalogDigests(connection, JdbcClient.create(connection));
  }

  /** The installation that the catalog is of. */
  UUID installationId() {
    return asked(() -> jdbc.sql("select id from installation").query(UUID.class).single());
  }

  @Override
  public Map<String, Optional<Digest>> known(Collection<String> keys) {
    return asked(() -> {
      Map<String, Optional<Digest>> known = new HashMap<>();
      find(
          "select blob_key, encrypted, sha256 from blob where blob_key = any (:keys)", keys, known);
      // The server that runs beside may be of an older release.
      if (jdbc.sql("select to_regclass('derived') is not null").query(Boolean.class).single()) {
        find(
            """
            select d.blob_key, b.encrypted, d.sha256
            from derived d join blob b on b.id = d.blob_id
            where d.blob_key = any (:keys)
            """,
            keys,
            known);
      }
      return known;
    });
  }

  private void find(String query, Collection<String> keys, Map<String, Optional<Digest>> known) {
    jdbc.sql(query)
        .param("keys", keys.toArray(String[]::new))
        .query(row -> {
          known.put(
              row.getString(1),
              row.getBoolean(2)
                  ? Optional.empty()
                  : Optional.of(Digest.of(DigestAlgorithm.SHA_256, row.getBytes(3))));
        });
  }

  private static <T> T asked(Supplier<T> question) {
    try {
      return question.get();
    } catch (DataAccessException e) {
      throw new MigrationFailedException(
          "The database does not answer: " + e.getMostSpecificCause().getMessage(), e);
    }
  }

  @Override
  public void close() {
    connection.close();
  }
}
