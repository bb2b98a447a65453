package io.artifactserver.rest.delivery.pace;

import io.artifactserver.core.limit.TokenBucket;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;

/**
 * The next bytes of a body, which have to pass several buckets, one after the other. Used by one
 * thread at a time.
 */
final class Grant {
  private final List<TokenBucket> buckets;
  private final long bytes;
  private final LongConsumer granted;
  private final Executor threads;
  private int next;

  /**
   * @param most bytes that are wanted
   * @param granted told of the bytes when a bucket made them wait
   * @param threads on which it is told: the timer has others to wake
   */
  Grant(List<TokenBucket> buckets, long most, LongConsumer granted, Executor threads) {
    this.buckets = buckets;
    this.granted = granted;
    this.threads = threads;
    long least = most;
    for (TokenBucket bucket : buckets) {
      least = Math.min(least, bucket.grantLength());
    }
    this.bytes = least;
  }

  long bytes() {
    return bytes;
  }

  /** Returns false if a bucket wakes it up again. */
  boolean pass() {
    while (next < buckets.size()) {
      TokenBucket bucket = buckets.get(next);
      next++;
      if (!bucket.take(bytes, this::goOn)) {
        return false;
      }
    }
    return true;
  }

  private void goOn() {
    if (pass()) {
      threads.execute(() -> granted.accept(bytes));
    }
  }
}
