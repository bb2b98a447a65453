package io.artifactserver.storage.catalog;

import io.artifactserver.core.audit.AuditRecord;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;

/** A row of {@code audit}; read only. */
@Entity
@Table(name = "audit")
class AuditRow {
  @Id private long id;

  @Column(nullable = false)
  private Instant at;

  @Column(nullable = false)
  private String entry;

  @Column(nullable = false)
  private String previous;

  @Column(nullable = false)
  private String digest;

  @SuppressWarnings("NullAway.Init") // Hibernate fills the fields.
  protected AuditRow() {}

  AuditRecord toAuditRecord() {
    return new AuditRecord(id, at, entry, previous, digest);
  }
}
