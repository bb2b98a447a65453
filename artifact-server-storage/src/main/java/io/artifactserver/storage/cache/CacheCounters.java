package io.artifactserver.storage.cache;

import java.util.concurrent.atomic.LongAdder;

/** What the cache did since the start. Thread-safe. */
final class CacheCounters {
  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();
  private final LongAdder passed = new LongAdder();
  private final LongAdder filledBytes = new LongAdder();
  private final LongAdder evictions = new LongAdder();
  private final LongAdder damaged = new LongAdder();

  void hit() {
    hits.increment();
  }

  void missed() {
    misses.increment();
  }

  void passed() {
    passed.increment();
  }

  void filled(long bytes) {
    filledBytes.add(bytes);
  }

  void evicted() {
    evictions.increment();
  }

  void damaged() {
    damaged.increment();
  }

  long hits() {
    return hits.sum();
  }

  long misses() {
    return misses.sum();
  }

  long passes() {
    return passed.sum();
  }

  long filledBytes() {
    return filledBytes.sum();
  }

  long evictions() {
    return evictions.sum();
  }

  long damagedPieces() {
    return damaged.sum();
  }
}
