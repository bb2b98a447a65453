package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A PostgreSQL server of our own, for installations that set up no database. Thread-safe.
 *
 * <p>It listens on a free port of the loopback interface only, knows one role with a random
 * password, and commits durably. In the data folder it keeps
 *
 * <ul>
 *   <li>{@code postgres}: the cluster;
 *   <li>{@code postgres-secret}: the password, readable by the owner only;
 *   <li>{@code postgres-log}: seven days of logs;
 *   <li>{@code postgres-binaries}: the programs, unpacked; may be deleted when it is stopped.
 * </ul>
 *
 * <p>The server runs in a session of its own, so Ctrl-C in a terminal reaches only this process,
 * which stops it in order. If this process is killed, the server stays; the next start in the same
 * folder stops it first.
 */
public final class EmbeddedPostgres implements DatabaseServer {
  private static final Logger LOGGER = LoggerFactory.getLogger(EmbeddedPostgres.class);

  /** A segment of the write-ahead log, of 16 MiB, and as much again, in bytes. */
  private static final long ROOM = 32L << 20;

  private final Postmaster postmaster;
  private final PostmasterWatch watch;
  private final String password;
  private boolean closed;

  private EmbeddedPostgres(Postmaster postmaster, String password) {
    this.postmaster = postmaster;
    this.watch = new PostmasterWatch(postmaster);
    this.password = password;
  }

  /**
   * Starts the server; makes the cluster first if the folder has none. Blocks, for seconds.
   *
   * @param dataDirectory exists and is this process's alone: a second one would take this server
   *     for an orphan
   * @param maxConnections a count; at least 20 are allowed
   * @throws DatabaseStartException if it does not start; nothing is left running then
   */
  public static EmbeddedPostgres start(Path dataDirectory, int maxConnections) {
    try {
      return start(
          new PostgresCluster.Layout(dataDirectory.toRealPath()), Math.max(20, maxConnections));
    } catch (IOException e) {
      requireRoom(dataDirectory, e);
      throw new DatabaseStartException(
          "The embedded PostgreSQL in %s does not start: %s".formatted(dataDirectory, e), e);
    } catch (DatabaseStartException e) {
      requireRoom(dataDirectory, e);
      throw e;
    }
  }

  /** A full disk has many messages. */
  private static void requireRoom(Path dataDirectory, Exception failure) {
    long free;
    try {
      free = Files.getFileStore(dataDirectory).getUsableSpace();
    } catch (IOException e) {
      failure.addSuppressed(e);
      return;
    }
    if (free < ROOM) {
      throw new DatabaseStartException(
          ("The disk of %s is full: %d MiB are free, and the embedded PostgreSQL needs %d MiB to"
                  + " start. Make room on that disk. In the data folder itself only the folders"
                  + " uploads and postgres-log may be emptied: what is in them is not needed.")
              .formatted(dataDirectory, free >> 20, ROOM >> 20),
          failure);
    }
  }

  private static EmbeddedPostgres start(PostgresCluster.Layout layout, int maxConnections)
      throws IOException {
    long begin = System.nanoTime();
    PostgresCluster cluster = PostgresCluster.open(layout);
    Postmaster postmaster = new Postmaster(cluster, maxConnections);
    postmaster.stopOrphan();
    String password = cluster.prepare();
    postmaster.start();
    try {
      createDatabase(postmaster.port(), password);
    } catch (SQLException e) {
      postmaster.stop();
      throw new DatabaseStartException(
          "The embedded PostgreSQL in %s started, but does not answer: %s"
              .formatted(layout.root(), e.getMessage()),
          e);
    }
    LOGGER.info(
        "Embedded PostgreSQL in {} listens on port {} of the loopback interface, after {} ms",
        layout.cluster(),
        postmaster.port(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
    return new EmbeddedPostgres(postmaster, password);
  }

  @Override
  public String jdbcUrl() {
    return jdbcUrl(postmaster.port(), PostgresCluster.NAME);
  }

  static String jdbcUrl(int port, String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database);
  }

  @Override
  public String username() {
    return PostgresCluster.NAME;
  }

  @Override
  public String password() {
    return password;
  }

  /** Whether the server runs; one that has died is started again. */
  @Override
  public boolean isRunning() {
    return watch.isRunning();
  }

  /** Stops the server and waits for its end. Committed data are on the disk either way. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    watch.close();
    try {
      postmaster.stop();
      LOGGER.info("{} is stopped", postmaster);
    } catch (IOException e) {
      LOGGER.warn("{} did not stop: {}", postmaster, e.getMessage());
    }
  }

  @Override
  public String toString() {
    return "%s, port %d".formatted(postmaster, postmaster.port());
  }

  private static void createDatabase(int port, String password) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(jdbcUrl(port, "postgres"), PostgresCluster.NAME, password);
        Statement statement = connection.createStatement()) {
      String name = PostgresCluster.NAME;
      ResultSet found =
          statement.executeQuery("select from pg_database where datname = '" + name + "'");
      if (!found.next()) {
        statement.execute("create database " + name);
      }
    }
  }
}
