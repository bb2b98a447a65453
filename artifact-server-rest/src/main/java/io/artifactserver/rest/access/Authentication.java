package io.artifactserver.rest.access;

import io.artifactserver.core.access.Caller;

/** The outcome of an authentication. Immutable. */
public sealed interface Authentication {
  /** No credentials were sent. */
  record Anonymous() implements Authentication {}

  /** The credentials are good. */
  record Known(Caller caller) implements Authentication {}

  /** Credentials were sent, and are not good. */
  record Refused() implements Authentication {}

  /** As {@link Refused}, after so many wrong secrets that the database is not asked. */
  record Throttled() implements Authentication {}

  /** The token is not in memory: the database has to be asked. */
  record Undecided() implements Authentication {}
}
