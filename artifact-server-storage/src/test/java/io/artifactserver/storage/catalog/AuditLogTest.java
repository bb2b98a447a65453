package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.storage.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
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
    assertThat(all.getFirst().isFirst()).isTrue();
    assertThat(all).hasSizeGreaterThanOrEqualTo(100).allMatch(AuditRecord::isIntact);
    for (int i = 1; i < all.size(); i++) {
      assertThat(all.get(i).follows(all.get(i - 1))).isTrue();
    }
    assertThat(audit.read(all.size() - 1L, 1000)).containsExactly(all.getLast());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "update audit set entry = '{}'",
        "delete from audit",
        "truncate audit",
        "insert into audit select id + 1000, at, entry, previous, digest from audit",
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
