package io.artifactserver.core.progress;

import io.artifactserver.core.range.ByteRange;
import java.util.Arrays;

/**
 * The bytes that are being sent to one device. Ranges are gathered and merged many at a time, so
 * one more costs about the same however many runs there are: thousands, if a whole fleet shows one
 * token. Used by one thread at a time.
 */
final class GatheredBytes {
  /** Ranges that are always gathered before they are merged. */
  private static final int MIN_GATHERED = 8;

  /** With many runs, as many ranges are gathered as this part of them. */
  private static final int SHARE = 16;

  private DeliveredBytes merged = DeliveredBytes.NONE;

  /** Begin and end of each range in turn, in any order. */
  private long[] gathered = new long[2];

  private int size;

  /** Adds a range that is not empty. */
  void add(ByteRange range) {
    if (size > 0 && gathered[size - 1] == range.position()) {
      // The next bytes, as mostly.
      gathered[size - 1] = range.end();
      return;
    }
    if (size >= 2 * Math.max(MIN_GATHERED, merged.runs() / SHARE)) {
      merge();
    } else if (size == gathered.length) {
      gathered = Arrays.copyOf(gathered, 2 * size);
    }
    gathered[size++] = range.position();
    gathered[size++] = range.end();
  }

  /** Returns all of them. */
  DeliveredBytes bytes() {
    merge();
    return merged;
  }

  /** Returns how many runs there are of what is merged. */
  int runs() {
    return merged.runs();
  }

  /** Forgets the shortest runs beyond so many; returns how many those were. */
  int shrink(int maxRuns) {
    merge();
    int before = merged.runs();
    merged = merged.longest(maxRuns);
    return before - merged.runs();
  }

  private void merge() {
    if (size > 0) {
      merged = merged.plus(DeliveredBytes.of(Arrays.copyOf(gathered, size)));
      size = 0;
    }
  }
}
