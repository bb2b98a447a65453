package io.artifactserver.storage.postgres;

import io.artifactserver.core.digest.Hex;
import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.stream.Stream;
import org.springframework.util.FileSystemUtils;

/**
 * A PostgreSQL cluster in the data folder, its password, and the programs that work on it.
 * Immutable; one thread at a time runs a program.
 */
record PostgresCluster(Layout layout, PostgresBinaries binaries, PostgresCommand command) {
  /** The role, and the database that it owns. */
  static final String NAME = "artifact_server";

  private static final int SECRET_LENGTH = 32;
  private static final Duration INIT_TIMEOUT = Duration.ofMinutes(5);

  /** Unpacks the programs if they are missing. Creates no cluster. */
  static PostgresCluster open(Layout layout) throws IOException {
    DurableFiles.createFolder(layout.logs());
    return new PostgresCluster(
        layout, PostgresBinaries.unpack(layout.binaries()), PostgresCommand.of(layout.root()));
  }

  /**
   * Makes the cluster if there is none, and checks that these programs can serve it. No server of
   * it may be running.
   *
   * @return the password
   */
  String prepare() throws IOException {
    binaries.removeOthers();
    boolean created = !Files.exists(layout.cluster());
    String password = password(created);
    if (created) {
      initialise();
    }
    requireSameVersion();
    return password;
  }

  /** Runs one of PostgreSQL's programs to its end. */
  PostgresCommand.Result run(Duration timeout, String program, String... arguments)
      throws IOException {
    return command.run(
        layout.commandLog(),
        timeout,
        Stream.concat(Stream.of(binaries.program(program)), Stream.of(arguments))
            .toArray(String[]::new));
  }

  /** The processes of a server of the cluster, which exists. */
  ClusterProcesses processes() throws IOException {
    return new ClusterProcesses(layout.cluster().toRealPath());
  }

  private String password(boolean create) throws IOException {
    Path secret = layout.secret();
    if (!Files.exists(secret)) {
      if (!create) {
        throw new DatabaseStartException(
            "%s is missing, and nobody can use %s without it: restore it from a backup"
                .formatted(secret, layout.cluster()));
      }
      String line = Hex.random(SECRET_LENGTH) + '\n';
      DurableFiles.write(secret, StandardCharsets.US_ASCII.encode(line));
    }
    Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
    String password = Files.readString(secret).strip();
    if (password.isEmpty()) {
      throw new DatabaseStartException(secret + " is empty: restore it from a backup");
    }
    return password;
  }

  /**
   * Makes the cluster beside its place and moves it there, so that a crash leaves no half of one.
   */
  private void initialise() throws IOException {
    Path unfinished = layout.cluster().resolveSibling("postgres.new");
    FileSystemUtils.deleteRecursively(unfinished);
    PostgresCommand.Result result =
        run(
            INIT_TIMEOUT,
            "initdb",
            "--pgdata=" + unfinished,
            "--username=" + NAME,
            // No moment with trust: the password is there before the first start.
            "--auth=scram-sha-256",
            "--pwfile=" + layout.secret(),
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--data-checksums");
    if (result.exitCode() != 0) {
      throw new DatabaseStartException(
          "PostgreSQL could not make a cluster in %s: %s"
              .formatted(layout.root(), result.output()));
    }
    DurableFiles.move(unfinished, layout.cluster());
  }

  private void requireSameVersion() throws IOException {
    Path versionFile = layout.cluster().resolve("PG_VERSION");
    if (!Files.exists(versionFile)) {
      throw new DatabaseStartException(
          layout.cluster() + " is not a PostgreSQL cluster: it has no PG_VERSION");
    }
    String found = Files.readString(versionFile).strip();
    PostgresCommand.Result result = run(Duration.ofSeconds(30), "postgres", "--version");
    if (result.exitCode() != 0) {
      throw new DatabaseStartException(
          "PostgreSQL's programs do not run here (they need glibc, and a folder without noexec): "
              + result.output());
    }
    // "postgres (PostgreSQL) 18.6"
    String release = result.output().substring(result.output().lastIndexOf(' ') + 1);
    if (!release.startsWith(found + ".")) {
      throw new DatabaseStartException(
          "%s was made by PostgreSQL %s, and this is %s: dump it with the server that made it, or set"
                  .formatted(layout.cluster(), found, release)
              + " artifact-server.database.url to a database that has the dump");
    }
  }

  /**
   * Where things are in the data folder.
   *
   * @param root the data folder, an absolute path without links
   */
  record Layout(Path root) {
    static final String LOGS = "postgres-log";

    Path cluster() {
      return root.resolve("postgres");
    }

    Path secret() {
      return root.resolve("postgres-secret");
    }

    Path binaries() {
      return root.resolve("postgres-binaries");
    }

    Path logs() {
      return root.resolve(LOGS);
    }

    Path commandLog() {
      return logs().resolve("command.log");
    }

    Path consoleLog() {
      return logs().resolve("console.log");
    }

    Path relative(Path path) {
      return root.relativize(path);
    }
  }
}
