package io.artifactserver.core.catalog;

import java.time.Instant;

/**
 * A named collection of artifacts with one access policy. Immutable.
 *
 * @param name 1 to 128 letters, digits, {@code .}, {@code _} and {@code -}, first a letter or digit
 * @param isPublic whether devices may download without a token
 * @param encrypted whether its blobs are encrypted at rest
 * @param redirects whether devices are sent to the backend for plain bytes, where it can serve them
 * @param paths how its paths behave
 * @param createdAt when it was created
 */
public record Repository(
    String name,
    boolean isPublic,
    boolean encrypted,
    boolean redirects,
    PathPolicy paths,
    Instant createdAt) {
  /** Longest name in characters. */
  public static final int MAX_NAME_LENGTH = 128;

  /**
   * @throws InvalidNameException if the name has another form
   */
  public Repository {
    requireName(name);
  }

  /**
   * Returns {@code name} after checking it.
   *
   * @throws InvalidNameException if it cannot name a repository
   */
  public static String requireName(String name) {
    if (name.isEmpty() || name.length() > MAX_NAME_LENGTH) {
      throw new InvalidNameException(
          "A repository's name must have 1 to %d characters, not %d"
              .formatted(MAX_NAME_LENGTH, name.length()));
    }
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      boolean alphanumeric =
          (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
      if (!alphanumeric && (i == 0 || (c != '.' && c != '_' && c != '-'))) {
        throw new InvalidNameException(
            "A repository's name has ASCII letters, digits, '.', '_' and '-', and begins with a"
                + " letter or digit; character %d does not fit".formatted(i + 1));
      }
    }
    return name;
  }
}
