package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayList;
import java.util.List;

/**
 * One read of several ranges of a blob: neighbours in ascending order, and those between which
 * little lies. Immutable.
 *
 * @param range from the first byte of the first range to the last byte of the last
 * @param ranges how many it has
 */
public record Run(ByteRange range, int ranges) {
  /** Part of the needed bytes that may be read in vain. */
  private static final int WASTE_SHARE = 5;

  /**
   * Returns as few reads as possible. All that is read beside what was asked for, and what the
   * backend reads at once anyway, is at most a fifth of it.
   *
   * @param ranges in the order in which they are sent
   * @param pieceLength of what the backend reads at once, in bytes
   * @return in the order in which their bytes are sent
   */
  public static List<Run> of(List<ByteRange> ranges, int pieceLength) {
    List<Run> runs = new ArrayList<>();
    long needed = 0;
    long wasted = 0;
    for (ByteRange range : ranges) {
      long begin = range.position() - range.position() % pieceLength;
      long end = ceil(range.end(), pieceLength);
      Run last = runs.isEmpty() ? null : runs.getLast();
      long lastEnd = last == null ? 0 : ceil(last.range().end(), pieceLength);
      boolean ascends = last != null && range.position() >= last.range().end();
      long gap = Math.max(0, begin - lastEnd);
      needed += end - (ascends ? Math.max(begin, lastEnd) : begin);
      if (last != null && ascends && (gap == 0 || (wasted + gap) * WASTE_SHARE <= needed)) {
        wasted += gap;
        long position = last.range().position();
        runs.set(
            runs.size() - 1,
            new Run(new ByteRange(position, range.end() - position), last.ranges() + 1));
      } else {
        runs.add(new Run(range, 1));
      }
    }
    return runs;
  }

  private static long ceil(long position, int pieceLength) {
    return Math.ceilDiv(position, (long) pieceLength) * pieceLength;
  }
}
