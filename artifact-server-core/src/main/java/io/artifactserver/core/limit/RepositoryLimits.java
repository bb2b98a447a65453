package io.artifactserver.core.limit;

/**
 * How fast one repository may be read. Immutable.
 *
 * @param bytesPerSecond of all its downloads together; {@link #NO_LIMIT} for no limit
 * @param concurrentDownloads how many are sent at a time; {@link #NO_LIMIT} for no limit
 */
public record RepositoryLimits(long bytesPerSecond, long concurrentDownloads) {
  /** More than anything can send. */
  public static final long NO_LIMIT = Long.MAX_VALUE;

  /** Largest rate, in bytes per second: more than any network interface has. */
  public static final long MAX_BYTES_PER_SECOND = 1_000_000_000_000L;

  /** Most downloads at a time that can be a limit: more than a process has sockets. */
  public static final long MAX_CONCURRENT_DOWNLOADS = 1_000_000;

  /** The limits of a repository for which nobody has set any. */
  public static final RepositoryLimits NONE = new RepositoryLimits(NO_LIMIT, NO_LIMIT);

  /**
   * @throws IllegalArgumentException if a number is out of bounds; zero is, because it would keep
   *     devices waiting for ever
   */
  public RepositoryLimits {
    if (bytesPerSecond != NO_LIMIT) {
      requireRate(bytesPerSecond);
    }
    if (concurrentDownloads != NO_LIMIT) {
      requireLimit(concurrentDownloads, MAX_CONCURRENT_DOWNLOADS, "concurrent downloads");
    }
  }

  static void requireRate(long bytesPerSecond) {
    requireLimit(bytesPerSecond, MAX_BYTES_PER_SECOND, "bytes per second");
  }

  private static void requireLimit(long number, long max, String name) {
    if (number < 1 || number > max) {
      throw new IllegalArgumentException(
          "A limit must be 1 to %d %s, not %d".formatted(max, name, number));
    }
  }
}
