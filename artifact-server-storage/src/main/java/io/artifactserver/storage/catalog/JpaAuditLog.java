package io.artifactserver.storage.catalog;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.springframework.data.domain.Limit;

/** The audit in PostgreSQL. Immutable, thread-safe. */
final class JpaAuditLog implements AuditLog {
  private final CatalogTransactions transactions;
  private final AuditRows rows;
  private final InstantSource clock;

  JpaAuditLog(CatalogTransactions transactions, AuditRows rows, InstantSource clock) {
    this.transactions = transactions;
    this.rows = rows;
    this.clock = clock;
  }

  @Override
  public AuditRecord append(String entry) {
    return transactions.write(_ -> {
      rows.lock();
      Instant now = clock.instant();
      AuditRecord record =
          rows.last()
              .map(last -> last.toAuditRecord().next(now, entry))
              .orElseGet(() -> AuditRecord.first(now, entry));
      rows.insert(record.id(), record.at(), entry, record.previous(), record.digest());
      return record;
    });
  }

  @Override
  public List<AuditRecord> read(long after, int limit) {
    return transactions.read(
        () -> rows.after(after, Limit.of(limit)).stream().map(AuditRow::toAuditRecord).toList());
  }
}
