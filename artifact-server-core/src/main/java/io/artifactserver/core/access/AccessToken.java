package io.artifactserver.core.access;

import java.time.Instant;
import java.util.Set;

/**
 * What is kept of a token: enough to recognise it, not enough to use it. Immutable.
 *
 * @param id the public part, by which the token is looked up
 * @param name the operator's own words for it
 * @param role what its bearer may do
 * @param repositories a device may read; empty for every one
 * @param secretDigest SHA-256 of the secret part, lower-case hexadecimal. The secret has 256 random
 *     bits, so a slow password hash would add nothing but load.
 * @param createdAt when it was made
 */
public record AccessToken(
    String id,
    String name,
    Role role,
    Set<String> repositories,
    String secretDigest,
    Instant createdAt) {
  public AccessToken {
    repositories = Set.copyOf(repositories);
  }

  /** What a bearer may do. */
  public enum Role {
    /** Everything. */
    OPERATOR,
    /** Download. */
    DEVICE
  }

  /** Whether the bearer may download from the repository. */
  public boolean mayRead(String repository) {
    return role == Role.OPERATOR || repositories.isEmpty() || repositories.contains(repository);
  }
}
