package io.artifactserver.storage.postgres;

/** A PostgreSQL database that accepts connections. Immutable, thread-safe. */
public sealed interface DatabaseServer extends AutoCloseable
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
