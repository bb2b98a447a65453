package io.artifactserver.storage.postgres;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static io.artifactserver.core.waiting.Throughout.throughout;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Two servers and one database, with real connections. */
@ExtendWith(OutputCaptureExtension.class)
class InstallationLockTest {
  private final TestDatabase database = TestDatabase.create();
  private DatabaseServer server;

  @BeforeEach
  void findServer() {
    server =
        ExternalPostgres.await(
            new DatabaseProperties(
                database.url(),
                database.username(),
                database.password(),
                1,
                Duration.ofSeconds(30)));
  }

  @Test
  void aSecondServerWaitsAndSaysForWhom(CapturedOutput output) throws Exception {
    InstallationLock first = InstallationLock.take(server);
    CompletableFuture<InstallationLock> second =
        CompletableFuture.supplyAsync(() -> InstallationLock.take(server));
    String pid = "process " + ProcessHandle.current().pid();
    eventually("it says so", () -> output.getOut().contains(pid));
    assertThat(output.getOut()).contains("Waiting: artifact-server", "One server runs at a time");
    assertThat(second).isNotDone();
    assertThat(first.isHeld()).isTrue();
    first.close();
    first.close();
    assertThat(first.isHeld()).isFalse();
    try (InstallationLock lock = second.get(1, TimeUnit.MINUTES)) {
      assertThat(lock.isHeld()).isTrue();
    }
  }

  @Test
  void aServerThatIsStoppedWhileItWaitsEnds() throws Exception {
    try (InstallationLock _ = InstallationLock.take(server)) {
      CompletableFuture<String> ended = new CompletableFuture<>();
      Thread second =
          Thread.ofPlatform()
              .start(() -> {
                try (InstallationLock _ = InstallationLock.take(server)) {
                  ended.complete("taken");
                } catch (DatabaseStartException e) {
                  ended.complete(e.getMessage());
                }
              });
      // Spring interrupts the thread that starts the server in this state only.
      eventually("it waits", () -> second.getState() == Thread.State.WAITING);
      second.interrupt();
      assertThat(ended.get(1, TimeUnit.MINUTES)).contains("Interrupted");
    }
  }

  @Test
  void aLostLockIsNoticedAndTakenAgain(CapturedOutput output) {
    try (InstallationLock lock = InstallationLock.take(server)) {
      endSessions();
      // It may be back within milliseconds.
      eventually("it was lost", () -> output.getOut().contains("is lost: nothing is written"));
      eventually("it is back", lock::isHeld);
      eventually("it says so", () -> output.getOut().contains("the installation's lock again"));
    }
  }

  @Test
  void whoeverWasFasterHasTheLockThen() throws Exception {
    InstallationLock first = InstallationLock.take(server);
    try {
      CompletableFuture<InstallationLock> second;
      try (Connection thief = database.connect();
          Statement statement = thief.createStatement()) {
        // Waits in the database's own queue, hence is there before anybody else.
        CompletableFuture<Void> waiting =
            CompletableFuture.runAsync(() -> {
              try {
                statement.execute("select pg_advisory_lock(x'6172746966616374'::bigint)");
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
        eventually("it waits", this::someoneWaits);
        endHolder();
        waiting.get(1, TimeUnit.MINUTES);
        eventually("it is lost", () -> !first.isHeld());
        second = CompletableFuture.supplyAsync(() -> InstallationLock.take(server));
        throughout(
            Duration.ofSeconds(2),
            () -> {
              assertThat(first.isHeld()).isFalse();
              assertThat(second).isNotDone();
            });
      }
      eventually("one of them has it", () -> first.isHeld() || second.isDone());
      assertThat(first.isHeld() && second.isDone()).isFalse();
      first.close();
      second.get(1, TimeUnit.MINUTES).close();
    } finally {
      first.close();
    }
  }

  private boolean someoneWaits() {
    return count("select count(*) from pg_locks where locktype = 'advisory' and not granted") == 1;
  }

  private void endSessions() {
    count(
        "select count(pg_terminate_backend(pid)) from pg_stat_activity"
            + " where datname = current_database() and pid <> pg_backend_pid()");
  }

  private void endHolder() {
    count(
        "select count(pg_terminate_backend(pid)) from pg_locks"
            + " where locktype = 'advisory' and granted and pid <> pg_backend_pid()"
            + " and database = (select oid from pg_database where datname = current_database())");
  }

  private long count(String query) {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        var result = statement.executeQuery(query)) {
      result.next();
      return result.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
