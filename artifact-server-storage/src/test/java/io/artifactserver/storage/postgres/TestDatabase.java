package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * An empty database on a real PostgreSQL, one server for all tests of this JVM: a container of
 * {@code postgres:18} where there is a Docker engine, the embedded one elsewhere. Immutable.
 *
 * @param url JDBC address
 * @param username of a role that may do everything
 * @param password of the role
 */
public record TestDatabase(String url, String username, String password) {
  private static final Logger LOGGER = LoggerFactory.getLogger(TestDatabase.class);
  private static final AtomicInteger COUNT = new AtomicInteger();

  /** Makes a new database; it goes with the server, at the end of the JVM. */
  public static TestDatabase create() {
    TestDatabase server = Server.INSTANCE;
    String name = "test_" + COUNT.incrementAndGet();
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    } catch (SQLException e) {
      throw new IllegalStateException("No database " + name, e);
    }
    String prefix = server.url.substring(0, server.url.lastIndexOf('/') + 1);
    return new TestDatabase(prefix + name, server.username, server.password);
  }

  /** A new connection; the caller closes it. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(url, username, password);
  }

  /** The properties that make the application use it, with a new data folder. */
  public String[] properties() {
    return new String[] {
      "artifact-server.data-dir=target/test-data/" + UUID.randomUUID(),
      "artifact-server.database.url=" + url,
      "artifact-server.database.username=" + username,
      "artifact-server.database.password=" + password
    };
  }

  private static final class Server {
    static final TestDatabase INSTANCE = start();

    private static TestDatabase start() {
      if (dockerIsAvailable()) {
        try {
          return container();
        } catch (RuntimeException e) {
          LOGGER.warn("TEST DATABASE: postgres:18 does not start in Docker", e);
        }
      }
      return embedded();
    }

    private static boolean dockerIsAvailable() {
      try {
        return DockerClientFactory.instance().isDockerAvailable();
      } catch (RuntimeException e) {
        return false;
      }
    }

    // Testcontainers removes the container when the JVM has ended.
    @SuppressWarnings("resource")
    private static TestDatabase container() {
      PostgreSQLContainer container = new PostgreSQLContainer("postgres:18");
      container.start();
      Runtime.getRuntime().addShutdownHook(new Thread(container::stop));
      LOGGER.warn("TEST DATABASE: container postgres:18 at {}", container.getJdbcUrl());
      String url = container.getJdbcUrl();
      int parameters = url.indexOf('?');
      return new TestDatabase(
          parameters < 0 ? url : url.substring(0, parameters),
          container.getUsername(),
          container.getPassword());
    }

    private static TestDatabase embedded() {
      try {
        Path folder = Files.createTempDirectory("test-database");
        EmbeddedPostgres postgres = EmbeddedPostgres.start(folder, 100);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(postgres, folder)));
        LOGGER.warn("TEST DATABASE: no Docker, so the embedded PostgreSQL in {}", folder);
        return new TestDatabase(postgres.jdbcUrl(), postgres.username(), postgres.password());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static void remove(EmbeddedPostgres postgres, Path folder) {
      postgres.close();
      try {
        FileSystemUtils.deleteRecursively(folder);
      } catch (IOException e) {
        LOGGER.warn("Could not delete {}", folder, e);
      }
    }
  }
}
