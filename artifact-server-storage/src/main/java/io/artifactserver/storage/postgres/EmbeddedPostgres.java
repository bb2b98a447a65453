package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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

  static final String NAME = "artifact_server";
  private static final int SECRET_LENGTH = 32;
  private static final int PORT_ATTEMPTS = 5;
  private static final int STOP_SECONDS = 30;
  // Recovery after a power cut replays at most max_wal_size, 256 MB; a slow disk needs a while.
  private static final int START_SECONDS = 300;
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");

  private final Layout layout;
  private final PostgresCommand command;
  private final PostgresBinaries binaries;
  private final String password;
  private final int port;
  private final int maxConnections;
  private final PostmasterWatch watch;
  private boolean closed;

  private EmbeddedPostgres(
      Layout layout,
      PostgresCommand command,
      PostgresBinaries binaries,
      String password,
      int port,
      int maxConnections) {
    this.layout = layout;
    this.command = command;
    this.binaries = binaries;
    this.password = password;
    this.port = port;
    this.maxConnections = maxConnections;
    this.watch = new PostmasterWatch(new Postmaster());
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
      return start(new Layout(dataDirectory.toRealPath()), Math.max(20, maxConnections));
    } catch (IOException e) {
      throw new DatabaseStartException(
          "The embedded PostgreSQL in %s does not start: %s".formatted(dataDirectory, e), e);
    }
  }

  private static EmbeddedPostgres start(Layout layout, int maxConnections) throws IOException {
    long begin = System.nanoTime();
    Files.createDirectories(
        layout.logs(),
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    PostgresBinaries binaries = PostgresBinaries.unpack(layout.binaries());
    PostgresCommand command = PostgresCommand.of(layout.root());
    stopOrphan(layout, command, binaries);
    binaries.removeOthers();
    boolean created = !Files.exists(layout.cluster());
    String password = password(layout, created);
    if (created) {
      initialise(layout, command, binaries);
    }
    requireSameVersion(layout, command, binaries);
    int port = startServer(layout, command, binaries, 0, maxConnections);
    try {
      createDatabase(port, password);
    } catch (SQLException e) {
      stopServer(layout, command, binaries);
      throw new DatabaseStartException(
          "The embedded PostgreSQL in %s started, but does not answer: %s"
              .formatted(layout.root(), e.getMessage()),
          e);
    }
    EmbeddedPostgres server =
        new EmbeddedPostgres(layout, command, binaries, password, port, maxConnections);
    LOGGER.info(
        "Embedded PostgreSQL in {} listens on port {} of the loopback interface, after {} ms",
        layout.cluster(),
        port,
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
    return server;
  }

  @Override
  public String jdbcUrl() {
    return jdbcUrl(port, NAME);
  }

  static String jdbcUrl(int port, String database) {
    return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, database);
  }

  @Override
  public String username() {
    return NAME;
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

  /** Stops the server and waits for its end. What was committed is on the disk either way. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    watch.close();
    try {
      stopServer(layout, command, binaries);
      LOGGER.info("Embedded PostgreSQL in {} is stopped", layout.cluster());
    } catch (IOException e) {
      LOGGER.warn("Embedded PostgreSQL in {} did not stop: {}", layout.cluster(), e.getMessage());
    }
  }

  @Override
  public String toString() {
    return "EmbeddedPostgres[" + layout.cluster() + ", port " + port + "]";
  }

  /**
   * Stops a server of this cluster that outlived the process that started it. A {@code
   * postmaster.pid} that names no process of ours is deleted: PostgreSQL itself would refuse to
   * start while any process has that number, as happens after a power cut and in every restarted
   * container.
   */
  private static void stopOrphan(Layout layout, PostgresCommand command, PostgresBinaries binaries)
      throws IOException {
    if (!Files.exists(layout.cluster())) {
      return;
    }
    ClusterProcesses processes = new ClusterProcesses(layout.cluster().toRealPath());
    Set<Long> running = processes.running();
    if (processes.recorded().filter(running::contains).isPresent()) {
      LOGGER.warn(
          "Stopping the PostgreSQL server that an earlier process left behind in {}",
          layout.cluster());
      stopServer(layout, command, binaries);
    }
    Set<Long> remaining = awaitNone(processes);
    if (!remaining.isEmpty()) {
      throw new DatabaseStartException(
          "PostgreSQL processes %s still use %s: stop them"
              .formatted(remaining, processes.cluster()));
    }
    if (Files.deleteIfExists(processes.lockFile())) {
      LOGGER.info("Deleted {}, which names no server of ours", processes.lockFile());
    }
  }

  /**
   * Waits for the end of all; processes that lost their postmaster end by themselves, and until
   * then may still write.
   *
   * @return those that have not ended in time
   */
  private static Set<Long> awaitNone(ClusterProcesses processes) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    Set<Long> running = processes.running();
    while (!running.isEmpty() && System.nanoTime() - deadline < 0) {
      try {
        Thread.sleep(10);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("Interrupted while waiting for processes " + running, e);
      }
      running = processes.running();
    }
    return running;
  }

  private static String password(Layout layout, boolean create) throws IOException {
    Path secret = layout.secret();
    if (!Files.exists(secret)) {
      if (!create) {
        throw new DatabaseStartException(
            "%s is missing, and nobody can use %s without it: restore it from a backup"
                .formatted(secret, layout.cluster()));
      }
      byte[] bytes = new byte[SECRET_LENGTH];
      new SecureRandom().nextBytes(bytes);
      Path unfinished = secret.resolveSibling("postgres-secret.new");
      Files.deleteIfExists(unfinished);
      Files.createFile(unfinished, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
      try (FileChannel channel = FileChannel.open(unfinished, StandardOpenOption.WRITE)) {
        String line = HexFormat.of().formatHex(bytes) + '\n';
        channel.write(StandardCharsets.US_ASCII.encode(line));
        channel.force(true);
      }
      Files.move(unfinished, secret, StandardCopyOption.ATOMIC_MOVE);
      syncDirectory(layout.root());
    }
    Files.setPosixFilePermissions(secret, OWNER_ONLY);
    String password = Files.readString(secret).strip();
    if (password.isEmpty()) {
      throw new DatabaseStartException(secret + " is empty: restore it from a backup");
    }
    return password;
  }

  /**
   * Makes the cluster beside its place and moves it there, so that a crash leaves no half of one.
   */
  private static void initialise(Layout layout, PostgresCommand command, PostgresBinaries binaries)
      throws IOException {
    Path unfinished = layout.cluster().resolveSibling("postgres.new");
    PostgresBinaries.deleteRecursively(unfinished);
    PostgresCommand.Result result =
        command.run(
            layout.commandLog(),
            Duration.ofSeconds(START_SECONDS),
            binaries.program("initdb"),
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
    Files.move(unfinished, layout.cluster(), StandardCopyOption.ATOMIC_MOVE);
    syncDirectory(layout.root());
  }

  private static void syncDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private static void requireSameVersion(
      Layout layout, PostgresCommand command, PostgresBinaries binaries) throws IOException {
    Path versionFile = layout.cluster().resolve("PG_VERSION");
    if (!Files.exists(versionFile)) {
      throw new DatabaseStartException(
          layout.cluster() + " is no PostgreSQL cluster: it has no PG_VERSION");
    }
    String found = Files.readString(versionFile).strip();
    PostgresCommand.Result result =
        command.run(
            layout.commandLog(), Duration.ofSeconds(30), binaries.program("postgres"), "--version");
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
   * @param wanted port; 0 for one that is free
   */
  private static int startServer(
      Layout layout,
      PostgresCommand command,
      PostgresBinaries binaries,
      int wanted,
      int maxConnections)
      throws IOException {
    for (int attempt = 1; true; attempt++) {
      int port = wanted == 0 ? freePort() : wanted;
      Files.deleteIfExists(layout.consoleLog());
      FileTime begin = FileTime.fromMillis(System.currentTimeMillis() - 1000);
      PostgresCommand.Result result =
          command.run(
              layout.commandLog(),
              Duration.ofSeconds(START_SECONDS + 30L),
              binaries.program("pg_ctl"),
              "start",
              // Relative to the working directory: pg_ctl hands these to a shell.
              "--pgdata=" + layout.relative(layout.cluster()),
              "--log=" + layout.relative(layout.consoleLog()),
              "--options=" + options(port, maxConnections),
              "--wait",
              "--timeout=" + START_SECONDS);
      if (result.exitCode() == 0) {
        return port;
      }
      stopQuietly(layout, command, binaries);
      String log = recentLog(layout, begin);
      // The port was free a moment ago; another process may have taken it since.
      if (wanted != 0 || attempt == PORT_ATTEMPTS || !log.contains("could not bind")) {
        throw new DatabaseStartException(
            "The embedded PostgreSQL in %s does not start: %s%n%s"
                .formatted(layout.cluster(), result.output(), log));
      }
    }
  }

  /** Settings on the command line win over the cluster's files. A shell reads them: no quotes. */
  private static String options(int port, int maxConnections) {
    return Stream.of(
            "port=" + port,
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=on",
            "synchronous_commit=on",
            "full_page_writes=on",
            "password_encryption=scram-sha-256",
            "max_connections=" + maxConnections,
            "shared_buffers=32MB",
            "max_wal_size=256MB",
            "min_wal_size=32MB",
            "max_wal_senders=4",
            "jit=off",
            // Three processes less; the default is for reading tables larger than ours.
            "io_method=sync",
            "timezone=UTC",
            "log_timezone=UTC",
            "cluster_name=artifact-server",
            "logging_collector=on",
            "log_directory=../" + Layout.LOGS,
            "log_filename=postgres-%a.log",
            "log_truncate_on_rotation=on",
            "log_rotation_age=1d",
            "log_rotation_size=0",
            "log_checkpoints=off")
        .map(setting -> "-c " + setting)
        .collect(Collectors.joining(" "));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The end of the log written since {@code begin}; the console's, if there is no other. */
  private static String recentLog(Layout layout, FileTime begin) throws IOException {
    try (Stream<Path> files = Files.list(layout.logs())) {
      return files
          .filter(file -> !file.equals(layout.commandLog()))
          .filter(file -> lastModified(file).compareTo(begin) >= 0)
          .sorted(Comparator.comparing(EmbeddedPostgres::lastModified))
          .map(PostgresCommand::tail)
          .collect(Collectors.joining("\n"));
    }
  }

  private static FileTime lastModified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException e) {
      return FileTime.fromMillis(0);
    }
  }

  private static void createDatabase(int port, String password) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(jdbcUrl(port, "postgres"), NAME, password);
        Statement statement = connection.createStatement()) {
      boolean exists;
      try (ResultSet result =
          statement.executeQuery(
              "select exists (select from pg_database where datname = '" + NAME + "')")) {
        result.next();
        exists = result.getBoolean(1);
      }
      if (!exists) {
        statement.execute("create database " + NAME);
      }
    }
  }

  private static void stopServer(Layout layout, PostgresCommand command, PostgresBinaries binaries)
      throws IOException {
    ClusterProcesses processes = new ClusterProcesses(layout.cluster().toRealPath());
    PostgresCommand.Result result = stop(layout, command, binaries, "fast");
    if (result.exitCode() != 0 && processes.recorded().isPresent()) {
      // Without a checkpoint: the next start recovers from the log.
      result = stop(layout, command, binaries, "immediate");
    }
    if (result.exitCode() != 0) {
      throw new IOException(result.output());
    }
    // pg_ctl waits for the end of postmaster.pid only; the postmaster and its logger end after it.
    Set<Long> remaining = awaitNone(processes);
    if (!remaining.isEmpty()) {
      throw new IOException("processes %s still run".formatted(remaining));
    }
  }

  private static PostgresCommand.Result stop(
      Layout layout, PostgresCommand command, PostgresBinaries binaries, String mode)
      throws IOException {
    return command.run(
        layout.commandLog(),
        Duration.ofSeconds(STOP_SECONDS + 10L),
        binaries.program("pg_ctl"),
        "stop",
        "--pgdata=" + layout.relative(layout.cluster()),
        "--mode=" + mode,
        "--wait",
        "--timeout=" + STOP_SECONDS);
  }

  /** After a failed start: it may be running still, slowly. */
  private static void stopQuietly(Layout layout, PostgresCommand command, PostgresBinaries binaries)
      throws IOException {
    ClusterProcesses processes = new ClusterProcesses(layout.cluster().toRealPath());
    if (processes.recorded().filter(processes.running()::contains).isPresent()) {
      stopServer(layout, command, binaries);
    }
  }

  /** On the same port, which the pool of connections knows. */
  private final class Postmaster implements PostmasterWatch.Postmaster {
    @Override
    public boolean isAlive() throws IOException {
      ClusterProcesses processes = new ClusterProcesses(layout.cluster());
      return processes.recorded().filter(processes::isRunning).isPresent();
    }

    @Override
    public void restart() throws IOException {
      stopOrphan(layout, command, binaries);
      startServer(layout, command, binaries, port, maxConnections);
    }

    @Override
    public String toString() {
      return "The embedded PostgreSQL in " + layout.cluster();
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
