package io.artifactserver.core.progress;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The bytes that are being sent to one device. Ranges are gathered and merged many at a time, so
 * one more costs about the same however many runs there are: thousands, if a whole fleet shows one
 * token. Used by one thread at a time.
 */
final class GatheredBytes {
  /**
   * Ranges that are always gathered before they are merged; with more runs, as many as those are,
   * because merging costs as much as there are runs.
   */
  private static final int MIN_GATHERED = 8;

  private final AtomicReference<DeliveredBytes> merged = new AtomicReference<>(DeliveredBytes.NONE);

  /** In the order in which they came. */
  private final List<ByteRange> gathered = new ArrayList<>(1);

  /** Adds a range that is not empty. */
  void add(ByteRange range) {
    if (!gathered.isEmpty() && gathered.getLast().end() == range.position()) {
      // The next bytes, as mostly.
      ByteRange before = gathered.removeLast();
      gathered.add(new ByteRange(before.position(), before.length() + range.length()));
      return;
    }
    if (gathered.size() >= Math.max(MIN_GATHERED, runs())) {
      merge();
    }
    gathered.add(range);
  }

  /** Returns all of them. */
  DeliveredBytes bytes() {
    merge();
    return merged.get();
  }

  /** Returns how many runs there are of what is merged. */
  int runs() {
    return merged.get().runs();
  }

  /** Forgets the shortest runs beyond so many; returns how many those were. */
  int shrink(int maxRuns) {
    merge();
    int before = runs();
    merged.updateAndGet(bytes -> bytes.longest(maxRuns));
    return before - runs();
  }

  private void merge() {
    if (!gathered.isEmpty()) {
      DeliveredBytes more = DeliveredBytes.of(gathered);
      merged.updateAndGet(bytes -> bytes.plus(more));
      gathered.clear();
    }
  }
}
