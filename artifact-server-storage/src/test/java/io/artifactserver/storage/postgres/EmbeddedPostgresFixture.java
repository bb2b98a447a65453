package io.artifactserver.storage.postgres;

import io.artifactserver.core.testserver.FolderTemplate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A folder with PostgreSQL's programs, which are unpacked once. */
abstract class EmbeddedPostgresFixture {
  /** Unpacked by the first test and copied by the others. */
  @TempDir static Path template;

  @TempDir Path folder;

  @BeforeEach
  void copyPrograms() throws IOException {
    programs().copyTo(folder.resolve("postgres-binaries"));
  }

  @AfterEach
  void keepPrograms() throws IOException {
    programs().keep(folder.resolve("postgres-binaries"));
  }

  static FolderTemplate programs() {
    return new FolderTemplate(template.resolve("postgres-binaries"));
  }

  Set<Long> servers() throws IOException {
    return new ClusterProcesses(folder.toRealPath().resolve("postgres")).running();
  }

  static void connect(InetAddress address, int port) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), 5_000);
    }
  }

  static Connection connect(EmbeddedPostgres postgres) throws SQLException {
    return DriverManager.getConnection(
        postgres.jdbcUrl(), postgres.username(), postgres.password());
  }

  static void execute(EmbeddedPostgres postgres, String sql) throws SQLException {
    try (Connection connection = connect(postgres);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  static String query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getString(1);
    }
  }
}
