package io.artifactserver.storage.remote.cache;

import java.util.concurrent.atomic.LongAdder;

/** Counters of the cache since the start. Thread-safe. */
final class CacheCounters {
  final LongAdder hits = new LongAdder();
  final LongAdder misses = new LongAdder();
  final LongAdder passes = new LongAdder();
  final LongAdder filledBytes = new LongAdder();
  final LongAdder evictions = new LongAdder();
  final LongAdder damagedPieces = new LongAdder();
}
