package io.artifactserver.storage.catalog.access;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The audit in PostgreSQL. Immutable, thread-safe. */
public record JdbcAuditLog(CatalogTransactions transactions, JdbcClient jdbc, InstantSource clock)
    implements AuditLog {
  private static final String SELECT = "select id, at, entry, previous, digest from audit ";

  /**
   * Where there are too many, one more goes, in whose place it is said. Entries are in the order of
   * their times but for a clock that was set back.
   */
  private static final String LAST_TO_GO =
      """
      with oldest as (select id, at from audit order by id limit :limit),
        surplus as (select :last - min(id) + 1 - :most as count, min(id) as first from oldest)
      select coalesce(
        (select min(id) - 1 from oldest, surplus
          where at >= :before and (count <= 0 or id > first + count)),
        (select max(id) from oldest),
        0)
      """;

  @Override
  public AuditRecord append(String entry) {
    return transactions.write(_ -> {
      Optional<AuditRecord> last = last();
      // Not before it is this writer's turn: entries are in the order of their times.
      Instant now = clock.instant();
      AuditRecord record =
          last.map(before -> before.next(now, entry))
              .orElseGet(() -> AuditRecord.first(now, entry));
      insert(record, null);
      return record;
    });
  }

  /** Makes writers take turns until the transaction ends; readers need not wait. */
  private Optional<AuditRecord> last() {
    jdbc.sql("lock table audit in share row exclusive mode").update();
    return jdbc.sql(SELECT + "order by id desc limit 1").query((row, _) -> record(row)).optional();
  }

  private void insert(AuditRecord record, @Nullable Long removedThrough) {
    jdbc.sql(
            """
            insert into audit (id, at, entry, previous, digest, removed_through)
            values (:id, :at, :entry, :previous, :digest, :removedThrough)
            """)
        .param("id", record.id())
        .param("at", Timestamp.from(record.at()))
        .param("entry", record.entry())
        .param("previous", record.previous())
        .param("digest", record.digest())
        .param("removedThrough", removedThrough, Types.BIGINT)
        .update();
  }

  @Override
  public Optional<AuditRecord> removeOldest(
      Instant before, long most, int limit, Function<AuditRecord, String> entry) {
    return transactions.write(_ ->
        last()
            .flatMap(last ->
                lastToGo(before, last.id(), most, limit).map(goes -> remove(goes, last, entry))));
  }

  private Optional<AuditRecord> lastToGo(Instant before, long last, long most, int limit) {
    long id =
        jdbc.sql(LAST_TO_GO)
            .param("limit", limit)
            .param("before", Timestamp.from(before))
            .param("last", last)
            .param("most", most)
            .query(Long.class)
            .single();
    return jdbc.sql(SELECT + "where id = :id")
        .param("id", id)
        .query((row, _) -> record(row))
        .optional();
  }

  private AuditRecord remove(
      AuditRecord goes, AuditRecord last, Function<AuditRecord, String> entry) {
    insert(last.next(clock.instant(), entry.apply(goes)), goes.id());
    jdbc.sql("delete from audit where id <= :id").param("id", goes.id()).update();
    return goes;
  }

  @Override
  public long lastId() {
    return transactions.read(
        () -> jdbc.sql("select coalesce(max(id), 0) from audit").query(Long.class).single());
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

  @Override
  public List<AuditRecord> newest(String artifact, int limit) {
    return transactions.read(() ->
        jdbc.sql(
                SELECT
                    + """
                    where audit_artifact(entry) = left(:artifact, 600)
                      and position(:artifact in entry) > 0
                    order by id desc
                    limit :limit
                    """)
            .param("artifact", artifact)
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
