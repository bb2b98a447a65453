package io.artifactserver.storage.catalog.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuditLogTest {
  private static CatalogApplication application;
  private static AuditLog audit;

  @BeforeAll
  static void start() {
    application = new CatalogApplication(TestDatabase.create());
    audit = application.bean(AuditLog.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void theChangesOfAnArtifactAreFoundWithoutTheOthers() throws Exception {
    String artifact = "\"repository\":\"r\",\"path\":\"a/\\\"b\\\\/ä\"";
    String longOne = "\"repository\":\"r\",\"path\":\"%s\"".formatted("ä".repeat(2000));
    AuditRecord made = changed(artifact, "changed");
    changed(artifact.replace("a/", "b/"), "changed");
    changed(artifact, "refused");
    audit.append("{\"name\":\"%s\",\"outcome\":\"changed\"}".formatted(escaped(artifact)));
    AuditRecord held = changed(artifact, "changed");
    AuditRecord longMade = changed(longOne, "changed");
    changed(longOne.replaceFirst(".$", "x\""), "changed");
    assertThat(audit.newest(artifact, 10)).containsExactly(held, made);
    assertThat(audit.newest(artifact, 1)).containsExactly(held);
    assertThat(audit.newest(longOne, 10)).containsExactly(longMade);
    assertThat(audit.newest("\"repository\":\"r\",\"path\":\"none\"", 10)).isEmpty();
    try (Connection connection = application.bean(DataSource.class).getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      // A small table would be read whole.
      statement.execute("set local enable_seqscan = off; set local enable_bitmapscan = off");
      try (ResultSet plan =
          statement.executeQuery(
              "explain select id from audit where audit_artifact(entry) = 'a' order by id desc limit 9")) {
        StringBuilder text = new StringBuilder();
        while (plan.next()) {
          text.append(plan.getString(1));
        }
        assertThat(text).contains("Backward using audit_of_artifact").doesNotContain("Sort");
      }
      connection.rollback();
    }
  }

  private static AuditRecord changed(String artifact, String outcome) {
    return audit.append(
        "{\"name\":\"n\",\"outcome\":\"%s\",\"after\":{%s,\"length\":1}}"
            .formatted(outcome, artifact));
  }

  private static String escaped(String json) {
    return json.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  @Test
  void entriesOfManyWritersAreOneChain() throws Exception {
    try (ExecutorService writers = Executors.newFixedThreadPool(8)) {
      List<Future<?>> writes = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        String entry = "{\"n\":%d,\"text\":\"ä 😀 \\u0000\"}".formatted(i);
        writes.add(writers.submit(() -> audit.append(entry)));
      }
      for (Future<?> write : writes) {
        write.get();
      }
    }
    List<AuditRecord> all = audit.read(0, 1000);
    assertThat(all).hasSizeGreaterThanOrEqualTo(100).allMatch(AuditRecord::isIntact);
    for (int i = 1; i < all.size(); i++) {
      assertThat(all.get(i).follows(all.get(i - 1))).isTrue();
    }
    assertThat(audit.read(all.getLast().id() - 1, 1000)).containsExactly(all.getLast());
    assertThat(audit.lastId()).isEqualTo(all.getLast().id());
  }

  @Test
  void theOldestGoAndTheChainSaysSo() {
    for (int i = 0; i < 30; i++) {
      audit.append("{}");
    }
    assertThat(remove(Instant.EPOCH, 1_000_000, 100)).isEmpty();
    List<AuditRecord> before = audit.read(0, 1000);
    // A piece at a time, and what stays is what was asked for.
    assertThat(remove(Instant.EPOCH, 10, 7)).contains(before.get(6));
    for (int i = 0; remove(Instant.EPOCH, 10, 7).isPresent(); i++) {
      assertThat(i).isLessThan(1000);
    }
    List<AuditRecord> after = audit.read(0, 1000);
    assertThat(after).hasSize(10).allMatch(AuditRecord::isIntact);
    for (int i = 1; i < after.size(); i++) {
      assertThat(after.get(i).follows(after.get(i - 1))).isTrue();
    }
    assertThat(after.getFirst().isFirst()).isFalse();
    assertThat(after.getLast().entry())
        .isEqualTo(after.getFirst().id() - 1 + " " + after.getFirst().previous());
  }

  @Test
  void whatIsTooOldGoes() {
    AuditRecord old = audit.append("{\"old\":true}");
    application.clock().advance(Duration.ofSeconds(1));
    AuditRecord young = audit.append("{}");
    assertThat(remove(young.at(), 1_000_000, 100_000)).contains(old);
    assertThat(remove(young.at(), 1_000_000, 100_000)).isEmpty();
    List<AuditRecord> left = audit.read(0, 1000);
    assertThat(left).hasSize(2).startsWith(young);
    // All of them may go, and what is written then proves itself.
    assertThat(remove(young.at().plusSeconds(1), 1_000_000, 100_000)).contains(left.getLast());
    AuditRecord last = audit.read(0, 1000).getFirst();
    assertThat(last.follows(left.getLast())).isTrue();
    assertThat(last.entry()).isEqualTo(left.getLast().id() + " " + left.getLast().digest());
    assertThat(audit.append("{}").follows(last)).isTrue();
  }

  private static Optional<AuditRecord> remove(Instant before, long most, int limit) {
    return audit.removeOldest(before, most, limit, goes -> goes.id() + " " + goes.digest());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update audit set entry = '{}'",
        "delete from audit",
        "truncate audit",
        "insert into audit select id + 1000, at, entry, previous, digest from audit",
        "update audit set removed_through = id - 1",
        "update audit set removed_through = null",
      })
  void nobodyChangesARow(String statement) throws SQLException {
    audit.append("{}");
    List<AuditRecord> before = audit.read(0, 1000);
    try (Connection connection = application.bean(DataSource.class).getConnection();
        Statement sql = connection.createStatement()) {
      assertThatThrownBy(() -> sql.executeUpdate(statement)).isInstanceOf(SQLException.class);
    }
    assertThat(audit.read(0, 1000)).isEqualTo(before);
  }
}
