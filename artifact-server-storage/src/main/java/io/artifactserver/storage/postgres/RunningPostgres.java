package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The embedded PostgreSQL of another process that runs, for a command beside the server. Immutable,
 * thread-safe.
 */
public record RunningPostgres(String jdbcUrl, String password) implements DatabaseServer {
  /** In {@code postmaster.pid}, from 0. */
  private static final int PORT_LINE = 3;

  /**
   * Looks for the server of a data folder. I/O.
   *
   * @return empty if none runs
   * @throws IOException if the folder cannot be read
   */
  public static Optional<RunningPostgres> find(Path dataDirectory) throws IOException {
    PostgresCluster.Layout layout = new PostgresCluster.Layout(dataDirectory);
    try {
      ClusterProcesses processes = new ClusterProcesses(layout.cluster().toRealPath());
      List<String> lines = Files.readAllLines(processes.lockFile());
      if (lines.size() <= PORT_LINE
          || processes.recorded().filter(processes::isRunning).isEmpty()) {
        return Optional.empty();
      }
      return Optional.of(
          new RunningPostgres(
              EmbeddedPostgres.jdbcUrl(
                  Integer.parseInt(lines.get(PORT_LINE).strip()), PostgresCluster.NAME),
              Files.readString(layout.secret()).strip()));
    } catch (NoSuchFileException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  @Override
  public String username() {
    return PostgresCluster.NAME;
  }

  /** Does nothing: the database is the other process's. */
  @Override
  public void close() {}

  @Override
  public String toString() {
    return "The embedded PostgreSQL at " + jdbcUrl;
  }
}
