package io.artifactserver.core.limit;

/**
 * The most that one repository may hold. Immutable.
 *
 * @param bytes of all artifacts together; {@link #NO_LIMIT} for no limit
 * @param artifacts how many there may be; {@link #NO_LIMIT} for no limit
 */
public record RepositoryQuota(long bytes, long artifacts) {
  /** Larger than anything that can be stored. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /** The quota of a repository for which nobody has set one. */
  public static final RepositoryQuota NONE = new RepositoryQuota(NO_LIMIT, NO_LIMIT);

  /**
   * @throws IllegalArgumentException if a number is negative
   */
  public RepositoryQuota {
    if (bytes < 0 || artifacts < 0) {
      throw new IllegalArgumentException(
          "A quota must not be negative, but has %d bytes and %d artifacts"
              .formatted(bytes, artifacts));
    }
  }

  /** Whether a repository with this usage keeps to the quota. */
  boolean holds(RepositoryUsage usage) {
    return usage.bytes() <= bytes && usage.artifacts() <= artifacts;
  }
}
