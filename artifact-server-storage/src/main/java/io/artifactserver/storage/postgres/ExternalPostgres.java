package io.artifactserver.storage.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A database that the operator runs. Immutable, thread-safe. */
record ExternalPostgres(String jdbcUrl, String username, String password)
    implements DatabaseServer {
  private static final Logger LOGGER = LoggerFactory.getLogger(ExternalPostgres.class);
  private static final Duration PAUSE = Duration.ofMillis(500);
  private static final int TIMEOUT_SECONDS = 5;

  /**
   * Waits until the database answers. Blocks for at most the start timeout and one attempt.
   *
   * @throws DatabaseStartException if it does not answer, refuses, or does not store UTF-8
   */
  static ExternalPostgres await(DatabaseProperties properties) {
    ExternalPostgres server =
        new ExternalPostgres(properties.url(), properties.username(), properties.password());
    long deadline = System.nanoTime() + properties.startTimeout().toNanos();
    boolean announced = false;
    while (true) {
      try {
        server.requireUtf8();
        return server;
      } catch (SQLException e) {
        if (!mayPass(e)) {
          throw new DatabaseStartException(server + " refuses: " + e.getMessage(), e);
        }
        if (System.nanoTime() - deadline >= 0) {
          throw new DatabaseStartException(
              "%s did not answer within %d s: %s"
                  .formatted(server, properties.startTimeout().toSeconds(), e.getMessage()),
              e);
        }
        if (!announced) {
          LOGGER.info(
              "Waiting up to {} s for {}: {}",
              properties.startTimeout().toSeconds(),
              server,
              e.getMessage());
          announced = true;
        }
      }
      pause(server);
    }
  }

  /**
   * Class 08: no connection; class 53: no resources; 57P03: starting up. The rest will not pass.
   */
  private static boolean mayPass(SQLException e) {
    String state = e.getSQLState();
    return state != null
        && (state.startsWith("08") || state.startsWith("53") || state.equals("57P03"));
  }

  private void requireUtf8() throws SQLException {
    try (Connection connection = connect(TIMEOUT_SECONDS);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("show server_encoding")) {
      result.next();
      String encoding = result.getString(1);
      if (!"UTF8".equals(encoding)) {
        throw new DatabaseStartException(
            "%s stores %s; artifact paths need a database created with encoding 'UTF8'"
                .formatted(this, encoding));
      }
    }
  }

  private static void pause(ExternalPostgres server) {
    try {
      Thread.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new DatabaseStartException("Interrupted while waiting for " + server, e);
    }
  }

  /** Does nothing: the database is the operator's. */
  @Override
  public void close() {}

  @Override
  public String toString() {
    return "The database " + DatabaseProperties.withoutParameters(jdbcUrl);
  }
}
