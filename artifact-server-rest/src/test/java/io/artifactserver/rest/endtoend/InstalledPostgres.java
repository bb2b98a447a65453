package io.artifactserver.rest.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.artifactserver.core.testserver.Ports;
import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The PostgreSQL that this machine has installed, whose pg_dump fits it. It does not run as root:
 * then it runs as the user {@code postgres}, whom its package makes.
 */
final class InstalledPostgres implements AutoCloseable {
  private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
  private static final String USER = "artifact_server";

  private final Path programs;
  private final Path home;
  private final int port;

  private InstalledPostgres(Path programs, Path home, int port) {
    this.programs = programs;
    this.home = home;
    this.port = port;
  }

  /** Starts an empty one; skips the test, and says so, where none is installed. */
  static InstalledPostgres start() throws IOException, InterruptedException {
    Path programs = programs();
    String message = "PostgreSQL is not installed: a backup of it is not tested";
    if (!Files.isExecutable(programs.resolve("initdb"))) {
      System.err.println("BackupIT: " + message);
    }
    assumeTrue(Files.isExecutable(programs.resolve("initdb")), message);
    Path home = Files.createTempDirectory(Path.of("/tmp"), "installed-postgres");
    InstalledPostgres postgres = new InstalledPostgres(programs, home, Ports.reserve());
    if (isRoot()) {
      run("chown", "postgres", home.toString());
    }
    postgres.runProgram("initdb", "-U", USER, "-A", "trust", "-E", "UTF8");
    postgres.runProgram(
        "pg_ctl",
        "-w",
        "-l",
        home.resolve("log").toString(),
        "-o",
        "-p %d -k %s -h 127.0.0.1".formatted(postgres.port, home),
        "start");
    return postgres;
  }

  /** Settings of a server on a new database of this name. */
  String[] settings(String database) throws SQLException {
    if (!exists(database)) {
      create(database);
    }
    return new String[] {
      "--artifact-server.database.url=jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database),
      "--artifact-server.database.username=" + USER,
      "--artifact-server.database.password=none"
    };
  }

  void create(String database) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + database);
    }
  }

  /** As its own programs take it. */
  String uri(String database) {
    return "postgresql://%s@127.0.0.1:%d/%s".formatted(USER, port, database);
  }

  @Override
  public void close() throws IOException {
    try {
      runProgram("pg_ctl", "-w", "-m", "immediate", "stop");
      run("rm", "-r", home.toString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while PostgreSQL stops");
    }
  }

  private boolean exists(String database) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      return statement
          .executeQuery("select 1 from pg_database where datname = '" + database + "'")
          .next();
    }
  }

  private Connection connect() throws SQLException {
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:%d/postgres".formatted(port), USER, "none");
  }

  private void runProgram(String program, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (isRoot()) {
      command.addAll(List.of("runuser", "-u", "postgres", "--"));
    }
    command.addAll(
        List.of(programs.resolve(program).toString(), "-D", home.resolve("data").toString()));
    command.addAll(List.of(arguments));
    run(command.toArray(String[]::new));
  }

  private static void run(String... command) throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.directory(new File("/"));
    builder.redirectOutput(ProcessBuilder.Redirect.DISCARD);
    assertThat(builder.start().waitFor()).as(String.join(" ", command)).isZero();
  }

  private static boolean isRoot() {
    return System.getProperty("user.name").equals("root");
  }

  /** The newest, which a wrapper on the path also takes. */
  private static Path programs() throws IOException {
    if (!Files.isDirectory(INSTALLED)) {
      return INSTALLED;
    }
    try (Stream<Path> versions = Files.list(INSTALLED)) {
      return versions
          .max((a, b) -> Double.compare(version(a), version(b)))
          .map(version -> version.resolve("bin"))
          .orElse(INSTALLED);
    }
  }

  private static double version(Path folder) {
    return Double.parseDouble(folder.getFileName().toString());
  }
}
