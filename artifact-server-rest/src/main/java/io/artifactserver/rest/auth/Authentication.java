package io.artifactserver.rest.auth;

import io.artifactserver.core.access.AccessToken;

/** What is known of a caller. Immutable. */
public sealed interface Authentication {
  /** No credentials were sent. */
  record Anonymous() implements Authentication {}

  /** The token is good. */
  record Known(AccessToken token) implements Authentication {}

  /** Credentials were sent, and are not good. */
  record Refused() implements Authentication {}

  /** The token is not in memory: the database has to be asked. */
  record Undecided() implements Authentication {}
}
