package io.artifactserver.storage.postgres;

import io.artifactserver.core.catalog.CatalogDatabase;

/** A PostgreSQL database that accepts connections. Immutable, thread-safe. */
public sealed interface DatabaseServer extends CatalogDatabase, AutoCloseable
    permits EmbeddedPostgres, ExternalPostgres, RunningPostgres {
  /** The address, without credentials. */
  String jdbcUrl();

  /** The role to connect as. */
  String username();

  /** The role's password; a secret, which {@code toString()} never shows. */
  String password();

  /** Ends what was started for this database; a second call does nothing. */
  @Override
  void close();
}
