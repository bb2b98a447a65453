package io.artifactserver.storage.catalog;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The audit in PostgreSQL. Immutable, thread-safe. */
final class JdbcAuditLog implements AuditLog {
  private static final String SELECT = "select id, at, entry, previous, digest from audit ";

  private final CatalogTransactions transactions;
  private final JdbcClient jdbc;
  private final InstantSource clock;

  JdbcAuditLog(CatalogTransactions transactions, JdbcClient jdbc, InstantSource clock) {
    this.transactions = transactions;
    this.jdbc = jdbc;
    this.clock = clock;
  }

  @Override
  public AuditRecord append(String entry) {
    return transactions.write(_ -> {
      // Makes writers take turns until the transaction ends; readers need not wait.
      jdbc.sql("lock table audit in share row exclusive mode").update();
      Instant now = clock.instant();
      AuditRecord record =
          jdbc.sql(SELECT + "order by id desc limit 1")
              .query((row, _) -> record(row))
              .optional()
              .map(last -> last.next(now, entry))
              .orElseGet(() -> AuditRecord.first(now, entry));
      jdbc.sql(
              """
              insert into audit (id, at, entry, previous, digest)
              values (:id, :at, :entry, :previous, :digest)
              """)
          .param("id", record.id())
          .param("at", Timestamp.from(record.at()))
          .param("entry", entry)
          .param("previous", record.previous())
          .param("digest", record.digest())
          .update();
      return record;
    });
  }

  @Override
  public List<AuditRecord> read(long after, int limit) {
    return transactions.read(() ->
        jdbc.sql(SELECT + "where id > :after order by id limit :limit")
            .param("after", after)
            .param("limit", limit)
            .query((row, _) -> record(row))
            .list());
  }

  private static AuditRecord record(ResultSet row) throws SQLException {
    return new AuditRecord(
        row.getLong("id"),
        row.getTimestamp("at").toInstant(),
        row.getString("entry"),
        row.getString("previous"),
        row.getString("digest"));
  }
}
