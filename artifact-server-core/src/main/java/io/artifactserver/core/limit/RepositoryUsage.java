package io.artifactserver.core.limit;

/**
 * The bytes and artifacts that a repository holds. Every artifact counts with its whole plain
 * length, even when another artifact has the same bytes and they are stored once. Immutable.
 *
 * @param bytes of all artifacts together
 * @param artifacts how many there are
 */
public record RepositoryUsage(long bytes, long artifacts) {
  /** The usage of an empty repository. */
  public static final RepositoryUsage EMPTY = new RepositoryUsage(0, 0);

  /** Returns the sum; the bytes stay at the largest number when they would exceed it. */
  RepositoryUsage plus(RepositoryUsage other) {
    long sum = bytes + other.bytes;
    return new RepositoryUsage(
        ((bytes ^ sum) & (other.bytes ^ sum)) < 0 ? Long.MAX_VALUE : sum,
        artifacts + other.artifacts);
  }
}
