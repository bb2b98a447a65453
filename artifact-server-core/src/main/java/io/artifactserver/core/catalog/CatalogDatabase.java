package io.artifactserver.core.catalog;

/** The database that keeps the catalog. Thread-safe. */
public interface CatalogDatabase {
  /**
   * Whether it runs, as far as this process is in charge of it: of the operator's database nobody
   * knows. No I/O.
   */
  default boolean isRunning() {
    return true;
  }
}
