package io.artifactserver.core.access;

import java.util.List;
import java.util.Optional;

/**
 * Keeps tokens. Thread-safe. Every method but {@link #peek} asks the database and may block; {@link
 * io.artifactserver.core.catalog.CatalogUnavailableException} (unchecked) says that it could not.
 */
public interface AccessTokenStore {
  /** The token if it is known without asking the database. No I/O; for the warm path. */
  default Optional<AccessToken> peek(String id) {
    return Optional.empty();
  }

  /** The token, if there is one. */
  Optional<AccessToken> find(String id);

  /** All tokens, by creation. */
  List<AccessToken> list();

  /** Adds a token with a new id. */
  void add(AccessToken token);

  /**
   * Revokes a token.
   *
   * @return whether there was one
   */
  boolean remove(String id);
}
