package io.artifactserver.storage.postgres;

import io.artifactserver.core.catalog.CatalogDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;

/** A PostgreSQL database that accepts connections. Immutable, thread-safe. */
public sealed interface DatabaseServer extends CatalogDatabase, AutoCloseable
    permits EmbeddedPostgres, ExternalPostgres, RunningPostgres {
  /** The address, without credentials. */
  String jdbcUrl();

  /** The role to connect as. */
  String username();

  /** The role's password; a secret, which {@code toString()} never shows. */
  String password();

  /**
   * Opens a connection of its own, beside the pool's; the caller closes it.
   *
   * @param timeoutSeconds longest wait for the connection, and for each answer
   */
  default Connection connect(int timeoutSeconds) throws SQLException {
    Properties properties = new Properties();
    if (!username().isEmpty()) {
      properties.setProperty("user", username());
    }
    if (!password().isEmpty()) {
      properties.setProperty("password", password());
    }
    properties.setProperty(
        "ApplicationName", "artifact-server, process " + ProcessHandle.current().pid());
    properties.setProperty("tcpKeepAlive", "true");
    for (String timeout : List.of("connectTimeout", "loginTimeout", "socketTimeout")) {
      properties.setProperty(timeout, String.valueOf(timeoutSeconds));
    }
    return DriverManager.getConnection(jdbcUrl(), properties);
  }

  /** Ends what was started for this database; a second call does nothing. */
  @Override
  void close();
}
