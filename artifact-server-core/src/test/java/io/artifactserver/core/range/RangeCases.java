package io.artifactserver.core.range;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;

/** Lengths and ranges whose ends fall on, just before and just behind every edge. */
public final class RangeCases {
  private static final long[] COMMON_EDGES = {0, 1, 4096, 64 * 1024, 1 << 20};

  private RangeCases() {}

  /**
   * Interesting lengths of a blob.
   *
   * @param unit of the store in bytes: a segment, a chunk or a page
   */
  public static List<Long> lengths(long unit) {
    return LongStream.of(0, 1, 2, unit - 1, unit, unit + 1, 3 * unit - 1, 3 * unit, 3 * unit + 1)
        .filter(length -> length >= 0)
        .distinct()
        .boxed()
        .toList();
  }

  /**
   * Interesting ranges of a blob, each within it: the whole, nothing at every edge, the first and
   * last byte, and what begins or ends one byte around an edge.
   *
   * @param length of the blob in bytes
   * @param units further edges, in bytes: multiples of segments or chunks
   */
  public static List<ByteRange> of(long length, long... units) {
    long[] positions =
        LongStream.concat(
                LongStream.concat(Arrays.stream(COMMON_EDGES), Arrays.stream(units)),
                LongStream.of(length / 2, length))
            .flatMap(edge -> LongStream.of(edge - 1, edge, edge + 1))
            .filter(position -> position >= 0 && position <= length)
            .sorted()
            .distinct()
            .toArray();
    Set<ByteRange> ranges = new LinkedHashSet<>();
    ranges.add(ByteRange.whole(length));
    for (long position : positions) {
      ranges.add(new ByteRange(position, 0));
      ranges.add(new ByteRange(position, Math.min(1, length - position)));
      ranges.add(new ByteRange(position, Math.min(1000, length - position)));
      ranges.add(new ByteRange(position, length - position));
      ranges.add(new ByteRange(0, position));
    }
    return List.copyOf(ranges);
  }

  /**
   * Ranges that are not within a blob of this length.
   *
   * @param length of the blob in bytes
   */
  public static List<ByteRange> outside(long length) {
    return List.of(
        new ByteRange(0, length + 1),
        new ByteRange(length, 1),
        new ByteRange(length + 1, 0),
        new ByteRange(1, length),
        new ByteRange(Long.MAX_VALUE - 1, 1),
        new ByteRange(0, Long.MAX_VALUE));
  }
}
