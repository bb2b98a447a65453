package io.artifactserver.core.audit;

import java.util.List;

/**
 * Keeps the audit. Entries are added and read, never changed. Thread-safe. Both methods ask the
 * database and may block; {@link io.artifactserver.core.catalog.CatalogUnavailableException}
 * (unchecked) says that it could not.
 */
public interface AuditLog {
  /**
   * Adds an entry behind the last one.
   *
   * @param entry one line of JSON, without a secret
   */
  AuditRecord append(String entry);

  /**
   * Entries in their order.
   *
   * @param after id of the entry before the first one; 0 for the beginning
   * @param limit most entries
   */
  List<AuditRecord> read(long after, int limit);
}
