package io.artifactserver.core.derive;

import io.artifactserver.core.catalog.ArtifactId;
import java.util.List;

/**
 * Which artifacts of a repository have forms, by patterns of their paths. Immutable.
 *
 * @param patterns in which {@code *} stands for any characters, slashes included; empty for none
 */
public record FormPaths(List<String> patterns) {
  private static final char WILDCARD = '*';

  /** Most patterns of a repository. */
  public static final int MAX = 100;

  /** Every artifact; so it is where nobody has said otherwise. */
  public static final FormPaths ALL = new FormPaths(List.of(String.valueOf(WILDCARD)));

  /**
   * @throws IllegalArgumentException if there are too many, or one is empty, too long or begins
   *     with a slash
   */
  public FormPaths {
    patterns = List.copyOf(patterns);
    if (patterns.size() > MAX) {
      throw new IllegalArgumentException("There are at most %d patterns".formatted(MAX));
    }
    for (String pattern : patterns) {
      if (pattern.isEmpty()
          || pattern.startsWith("/")
          || pattern.length() > ArtifactId.MAX_PATH_LENGTH) {
        throw new IllegalArgumentException(
            "A pattern is 1 to %d characters and does not begin with '/'"
                .formatted(ArtifactId.MAX_PATH_LENGTH));
      }
    }
  }

  /** Whether a pattern fits the path. */
  public boolean includes(String path) {
    return patterns.stream().anyMatch(pattern -> fits(pattern, path));
  }

  /** Without a regular expression, which some patterns could keep busy for ever. */
  private static boolean fits(String pattern, String path) {
    int at = 0;
    int in = 0;
    int wildcard = -1;
    int retry = 0;
    while (at < path.length()) {
      if (in < pattern.length() && pattern.charAt(in) == WILDCARD) {
        wildcard = in++;
        retry = at;
      } else if (in < pattern.length() && pattern.charAt(in) == path.charAt(at)) {
        in++;
        at++;
      } else if (wildcard >= 0) {
        in = wildcard + 1;
        at = ++retry;
      } else {
        return false;
      }
    }
    while (in < pattern.length() && pattern.charAt(in) == WILDCARD) {
      in++;
    }
    return in == pattern.length();
  }
}
