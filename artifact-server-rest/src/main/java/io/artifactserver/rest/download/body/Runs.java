package io.artifactserver.rest.download.body;

import io.artifactserver.core.range.ByteRange;
import java.util.ArrayList;
import java.util.List;

/**
 * Several ranges of a blob as few reads: neighbours in ascending order are one, and so are those
 * between which little lies. All that is read beside what was asked for, and what the backend reads
 * at once anyway, is at most a fifth of it. Immutable.
 */
public final class Runs {
  /** Part of the needed bytes that may be read in vain. */
  private static final int WASTE_SHARE = 5;

  private final List<Run> runs;

  private Runs(List<Run> runs) {
    this.runs = List.copyOf(runs);
  }

  /**
   * One read.
   *
   * @param range from the first byte of the first range to the last byte of the last
   * @param ranges how many it has
   */
  public record Run(ByteRange range, int ranges) {}

  /**
   * @param ranges in the order in which they are sent
   * @param pieceLength of what the backend reads at once, in bytes
   */
  public static Runs of(List<ByteRange> ranges, int pieceLength) {
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
    return new Runs(runs);
  }

  /** Returns the reads, in the order in which their bytes are sent. */
  public List<Run> list() {
    return runs;
  }

  private static long ceil(long position, int pieceLength) {
    return Math.ceilDiv(position, (long) pieceLength) * pieceLength;
  }
}
