package io.artifactserver.storage.postgres;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An advisory lock in the database that the one server of an installation holds while it runs, on a
 * connection of its own that is watched. A second server waits for it, because its sweeps would
 * delete what the first has stored and not yet named. Thread-safe.
 *
 * <p>A lost connection means a lost lock: then this server {@link #isHeld writes nothing} until it
 * has the lock again. PostgreSQL gives the lock of a dead server back at once, and of one that
 * vanished from the network after half a minute. The connection must keep its session, so a pool
 * that shares sessions between transactions cannot stand in between.
 */
public final class InstallationLock implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(InstallationLock.class);

  /** "artifact" in ASCII; advisory locks are a database's own. */
  private static final long KEY = 0x6172_7469_6661_6374L;

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final long REMINDER_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int TIMEOUT_SECONDS = 10;

  /**
   * A server that vanished is noticed after some half a minute, not after PostgreSQL's two hours.
   */
  private static final String KEEPALIVE =
      "set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 4";

  private static final String TAKE = "select pg_try_advisory_lock(" + KEY + ")";

  private static final String HOLDER =
      """
      select concat(a.application_name, ', connected from ',
        coalesce(host(a.client_addr), 'this machine'), ' since ', a.backend_start)
      from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.locktype = 'advisory' and l.granted and l.objsubid = 1
        and l.database = (select oid from pg_database where datname = current_database())
        and l.classid = %s::bigint::oid and l.objid = %s::bigint::oid
      """
          .formatted(KEY >>> Integer.SIZE, Integer.toUnsignedLong((int) KEY));

  private final DatabaseServer server;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("installation-lock").factory());
  private @Nullable Connection connection;
  private volatile boolean isHeld;
  private boolean isAnotherKnown;
  private long remindedAt;

  private InstallationLock(DatabaseServer server) {
    this.server = server;
  }

  /**
   * Takes the lock. Blocks for as long as another server has it, and says so in the log.
   *
   * @throws DatabaseStartException if the database cannot be asked, or this thread is interrupted
   */
  static InstallationLock take(DatabaseServer server) {
    FutureTask<InstallationLock> taking = new FutureTask<>(new InstallationLock(server)::await);
    Thread.ofPlatform().daemon().name("installation-lock-wait").start(taking);
    try {
      // Without a time-out, so that Spring sees that it may interrupt this thread to stop.
      InstallationLock lock = taking.get();
      long millis = PAUSE.toMillis();
      var _ = lock.watch.scheduleWithFixedDelay(lock::check, millis, millis, TimeUnit.MILLISECONDS);
      return lock;
    } catch (InterruptedException e) {
      taking.cancel(true);
      Thread.currentThread().interrupt();
      throw new DatabaseStartException("Interrupted while waiting for the installation's lock", e);
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      throw new DatabaseStartException(
          "%s does not lock this installation: %s".formatted(server, cause.getMessage()), cause);
    }
  }

  /** Whether this server may write. No I/O. */
  public boolean isHeld() {
    return isHeld;
  }

  /** Gives the lock back. May be repeated. */
  @Override
  public void close() {
    watch.close();
    giveBack();
  }

  private InstallationLock await() throws SQLException, InterruptedException {
    while (!tryToTake()) {
      Thread.sleep(PAUSE);
    }
    return this;
  }

  private synchronized void check() {
    try {
      if (connection != null && !connection.isValid(TIMEOUT_SECONDS)) {
        giveBack();
        LOG.error(
            "The connection that locks this installation is lost: nothing is written until it is"
                + " back");
      }
      if (!isHeld && tryToTake()) {
        LOG.info("This server has the installation's lock again");
      }
    } catch (SQLException e) {
      LOG.debug("{} does not answer", server, e);
    }
  }

  private synchronized boolean tryToTake() throws SQLException {
    Connection fresh = server.connect(TIMEOUT_SECONDS);
    boolean isGranted = false;
    try {
      try (Statement statement = fresh.createStatement()) {
        statement.execute(KEEPALIVE);
        ResultSet answer = statement.executeQuery(TAKE);
        isGranted = answer.next() && answer.getBoolean(1);
      }
      if (!isGranted) {
        announce(fresh);
        return false;
      }
      connection = fresh;
      isHeld = true;
      isAnotherKnown = false;
      return true;
    } finally {
      if (!isGranted) {
        fresh.close();
      }
    }
  }

  private void announce(Connection asking) throws SQLException {
    if (isAnotherKnown && System.nanoTime() - remindedAt < REMINDER_NANOS) {
      return;
    }
    isAnotherKnown = true;
    remindedAt = System.nanoTime();
    LOG.warn(
        "Waiting: {} has this installation's database. One server runs at a time: stop the other"
            + " one, or give this one a database, a data folder and a bucket of its own.",
        holder(asking).orElse("another server"));
  }

  private static Optional<String> holder(Connection asking) throws SQLException {
    try (Statement statement = asking.createStatement();
        ResultSet result = statement.executeQuery(HOLDER)) {
      return result.next() ? Optional.of(result.getString(1)) : Optional.empty();
    }
  }

  private synchronized void giveBack() {
    isHeld = false;
    Connection held = connection;
    connection = null;
    if (held != null) {
      try {
        held.close();
      } catch (SQLException e) {
        LOG.debug("The lock's connection does not close", e);
      }
    }
  }
}
