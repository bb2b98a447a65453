package io.artifactserver.core.catalog;

import java.time.Duration;

/**
 * How the paths of a repository behave for clients and caches. Immutable.
 *
 * @param mutable whether a path takes other bytes after its artifact was deleted
 * @param maxAge how long a cache may answer for a path without asking, in whole seconds, from zero
 *     to {@link #LONGEST_AGE}; the paths of mutable repositories are asked for each time
 */
public record PathPolicy(boolean mutable, Duration maxAge) {
  /** The longest age: a year. */
  public static final Duration LONGEST_AGE = Duration.ofDays(365);

  /** The policy of a repository that asks for none: paths never change, caches keep for 5 min. */
  public static final PathPolicy DEFAULT = new PathPolicy(false, Duration.ofMinutes(5));

  /**
   * @throws IllegalArgumentException if the age is out of bounds
   */
  public PathPolicy {
    if (maxAge.isNegative()
        || maxAge.compareTo(LONGEST_AGE) > 0
        || !maxAge.equals(Duration.ofSeconds(maxAge.toSeconds()))) {
      throw new IllegalArgumentException(
          "The age of a path's answers is whole seconds from 0 to %d, not %s"
              .formatted(LONGEST_AGE.toSeconds(), maxAge));
    }
  }
}
