package io.artifactserver.storage.migrate;

import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.migrate.StoredDigests;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Asks the catalog's tables. Not through the catalog itself, which would bring the schema of a
 * server that runs beside up to date. Used by one thread.
 */
record CatalogDigests(Connection connection) implements StoredDigests, AutoCloseable {
  static CatalogDigests connect(String jdbcUrl, String username, String password)
      throws SQLException {
    return new CatalogDigests(DriverManager.getConnection(jdbcUrl, username, password));
  }

  /** The installation that the catalog is of. */
  UUID installationId() throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("select id from installation");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getObject(1, UUID.class);
    }
  }

  @Override
  public Map<String, Optional<Digest>> known(Collection<String> keys) {
    Map<String, Optional<Digest>> known = new HashMap<>();
    try {
      known.putAll(
          known("select blob_key, encrypted, sha256 from blob where blob_key = any (?)", keys));
      if (hasDerived()) {
        known.putAll(
            known(
                """
                select d.blob_key, b.encrypted, d.sha256
                from derived d join blob b on b.id = d.blob_id
                where d.blob_key = any (?)
                """,
                keys));
      }
    } catch (SQLException e) {
      throw new MigrationFailedException("The database does not answer: " + e.getMessage(), e);
    }
    return known;
  }

  /** The server that runs beside may be of an older release. */
  private boolean hasDerived() throws SQLException {
    try (PreparedStatement statement =
            connection.prepareStatement("select to_regclass('derived') is not null");
        ResultSet row = statement.executeQuery()) {
      row.next();
      return row.getBoolean(1);
    }
  }

  private Map<String, Optional<Digest>> known(String query, Collection<String> keys)
      throws SQLException {
    Map<String, Optional<Digest>> known = new HashMap<>();
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setArray(1, connection.createArrayOf("text", keys.toArray()));
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          Optional<Digest> sha256 =
              rows.getBoolean(2)
                  ? Optional.empty()
                  : Optional.of(Digest.of(DigestAlgorithm.SHA_256, rows.getBytes(3)));
          known.put(rows.getString(1), sha256);
        }
      }
    }
    return known;
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
