package io.artifactserver.storage.postgres;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The server of a cluster. Used by one thread at a time. */
final class Postmaster {
  private static final Logger LOG = LoggerFactory.getLogger(Postmaster.class);

  private static final int PORT_ATTEMPTS = 5;
  private static final int STOP_SECONDS = 30;
  // Recovery after a power cut replays at most max_wal_size, 256 MB; a slow disk needs a while.
  private static final int START_SECONDS = 300;
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final PostgresCluster cluster;
  private final PostgresCluster.Layout layout;
  private final int maxConnections;
  private int port;

  Postmaster(PostgresCluster cluster, int maxConnections) {
    this.cluster = cluster;
    this.layout = cluster.layout();
    this.maxConnections = maxConnections;
  }

  /** The port of the loopback interface that it has from its first start on. */
  int port() {
    return port;
  }

  /** Whether its process is there. */
  boolean isAlive() throws IOException {
    return Files.exists(layout.cluster()) && isRecordedRunning(cluster.processes());
  }

  /** Starts it again, on the port that the pool of connections knows. */
  void restart() throws IOException {
    stopOrphan();
    start();
  }

  @Override
  public String toString() {
    return "The embedded PostgreSQL in " + layout.cluster();
  }

  /**
   * Stops a server of this cluster that outlived the process that started it. A {@code
   * postmaster.pid} that names no process of ours is deleted: PostgreSQL itself would refuse to
   * start while any process has that number, as happens after a power cut and in every restarted
   * container.
   */
  void stopOrphan() throws IOException {
    if (!Files.exists(layout.cluster())) {
      return;
    }
    ClusterProcesses processes = cluster.processes();
    if (isRecordedRunning(processes)) {
      LOG.warn(
          "Stopping the PostgreSQL server that an earlier process left behind in {}",
          layout.cluster());
      stop();
    }
    Set<Long> remaining = awaitNone(processes);
    if (!remaining.isEmpty()) {
      throw new DatabaseStartException(
          "PostgreSQL processes %s still use %s: stop them"
              .formatted(remaining, processes.cluster()));
    }
    if (Files.deleteIfExists(processes.lockFile())) {
      LOG.info("Deleted {}, which names no server of ours", processes.lockFile());
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

  private static boolean isRecordedRunning(ClusterProcesses processes) throws IOException {
    return processes.recorded().filter(processes::isRunning).isPresent();
  }

  /** Starts it and waits until it accepts connections; the first start finds a free port. */
  void start() throws IOException {
    for (int attempt = 1; true; attempt++) {
      int candidate = port == 0 ? freePort() : port;
      Files.deleteIfExists(layout.consoleLog());
      long begin = System.currentTimeMillis() - 1000;
      PostgresCommand.Result result =
          cluster.run(
              Duration.ofSeconds(START_SECONDS + 30L),
              "pg_ctl",
              "start",
              // Relative to the working directory: pg_ctl hands these to a shell.
              "--pgdata=" + layout.relative(layout.cluster()),
              "--log=" + layout.relative(layout.consoleLog()),
              "--options=" + options(candidate),
              "--wait",
              "--timeout=" + START_SECONDS);
      if (result.exitCode() == 0) {
        port = candidate;
        return;
      }
      if (isAlive()) {
        // Slowly, after all.
        stop();
      }
      String log = recentLog(begin);
      // The port was free a moment ago; another process may have taken it since.
      if (port != 0 || attempt == PORT_ATTEMPTS || !log.contains("could not bind")) {
        throw new DatabaseStartException(
            "The embedded PostgreSQL in %s does not start: %s%n%s"
                .formatted(layout.cluster(), result.output(), log));
      }
    }
  }

  /** Settings on the command line win over the cluster's files. A shell reads them: no quotes. */
  private String options(int candidate) {
    return Stream.of(
            "port=" + candidate,
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
            "log_directory=../" + PostgresCluster.Layout.LOGS,
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
  private String recentLog(long begin) throws IOException {
    try (Stream<Path> files = Files.list(layout.logs())) {
      return files
          .filter(file -> !file.equals(layout.commandLog()))
          .filter(file -> file.toFile().lastModified() >= begin)
          .sorted(Comparator.comparingLong(file -> file.toFile().lastModified()))
          .map(PostgresCommand::tail)
          .collect(Collectors.joining("\n"));
    }
  }

  /** Stops it and waits for its end. Committed data are on the disk either way. */
  void stop() throws IOException {
    ClusterProcesses processes = cluster.processes();
    PostgresCommand.Result result = stop("fast");
    if (result.exitCode() != 0 && processes.recorded().isPresent()) {
      // Without a checkpoint: the next start recovers from the log.
      result = stop("immediate");
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

  private PostgresCommand.Result stop(String mode) throws IOException {
    return cluster.run(
        Duration.ofSeconds(STOP_SECONDS + 10L),
        "pg_ctl",
        "stop",
        "--pgdata=" + layout.relative(layout.cluster()),
        "--mode=" + mode,
        "--wait",
        "--timeout=" + STOP_SECONDS);
  }
}
