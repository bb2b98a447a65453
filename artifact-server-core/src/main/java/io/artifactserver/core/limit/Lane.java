package io.artifactserver.core.limit;

import java.util.List;
import java.util.Optional;

/**
 * What the downloads of one repository pass: token buckets, from the narrowest to the widest, and a
 * queue. Thread-safe.
 */
public final class Lane {
  private final List<TokenBucket> buckets;
  private final List<DownloadQueue> queues;
  private final boolean hasTurns;

  private Lane(List<TokenBucket> buckets, List<DownloadQueue> queues, boolean hasTurns) {
    this.buckets = buckets;
    this.queues = queues;
    this.hasTurns = hasTurns;
  }

  /** The lane of repositories without limits. */
  static Lane open(List<TokenBucket> buckets) {
    return new Lane(buckets, List.of(), false);
  }

  /**
   * The lane of a repository with limits.
   *
   * @param hasTurns whether one of them is of downloads at a time
   */
  static Lane limited(List<TokenBucket> buckets, DownloadQueue queue, boolean hasTurns) {
    return new Lane(buckets, List.of(queue), hasTurns);
  }

  /** Returns the buckets that every byte passes, in this order. */
  public List<TokenBucket> buckets() {
    return buckets;
  }

  /** Returns where downloads wait for their turn; empty if the repository has no limits. */
  public Optional<DownloadQueue> queue() {
    return queues.stream().findFirst();
  }

  /** Whether a download may have to wait for its turn before it begins. */
  public boolean hasTurns() {
    return hasTurns;
  }
}
