package io.artifactserver.core.audit;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * Keeps the audit. Entries are added and read, never changed; the oldest ones may go. Thread-safe.
 * Every method asks the database and may block; {@link
 * io.artifactserver.core.catalog.CatalogUnavailableException} (unchecked) says that it could not.
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

  /**
   * Entries of changes of one artifact, the newest first. What was uploaded before the server wrote
   * the artifact into the entry is missing.
   *
   * @param artifact {@code "repository":"R","path":"P"}, as entries have it
   * @param limit most entries
   */
  List<AuditRecord> newest(String artifact, int limit);

  /** Returns the id of the last entry; 0 if there is none. */
  long lastId();

  /**
   * Removes the oldest entries, and adds one that says so, in one transaction.
   *
   * @param before entries that were written before go
   * @param most entries that there are afterwards
   * @param limit most entries that go at once
   * @param entry says which one was the last to go: one line of JSON
   * @return the last one that went; empty if all stayed
   */
  Optional<AuditRecord> removeOldest(
      Instant before, long most, int limit, Function<AuditRecord, String> entry);
}
