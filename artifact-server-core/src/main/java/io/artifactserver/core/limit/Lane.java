package io.artifactserver.core.limit;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the downloads of one repository pass: token buckets, from the narrowest to the widest, and a
 * queue. Thread-safe.
 */
public final class Lane {
  private final List<TokenBucket> buckets;
  private final @Nullable DownloadQueue queue;

  private Lane(List<TokenBucket> buckets, @Nullable DownloadQueue queue) {
    this.buckets = buckets;
    this.queue = queue;
  }

  /** The lane of repositories without limits. */
  static Lane open(List<TokenBucket> buckets) {
    return new Lane(buckets, null);
  }

  /** The lane of a repository with limits. */
  static Lane limited(List<TokenBucket> buckets, DownloadQueue queue) {
    return new Lane(buckets, queue);
  }

  /** Returns the buckets that every byte passes, in this order. */
  public List<TokenBucket> buckets() {
    return buckets;
  }

  /** Returns where downloads wait for their turn; empty if the repository has no limits. */
  public Optional<DownloadQueue> queue() {
    return Optional.ofNullable(queue);
  }
}
