package io.artifactserver.core.progress;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * The bytes of one artifact that were sent to one device, as runs. Immutable.
 *
 * <p>A device that streams asks for ranges of any position and length, so blocks of a fixed size
 * could not say when every byte is there. Bytes that a device asks for in order are a single run,
 * however many its ranges.
 */
public final class DeliveredBytes {
  /**
   * Most runs that are kept. A device that asks for every other kilobyte of an artifact has more:
   * its shortest are then forgotten, and it looks as if it had less than it has, never more.
   */
  public static final int MAX_RUNS = 2048;

  /** No bytes. */
  public static final DeliveredBytes NONE = new DeliveredBytes(new long[0]);

  private static final int MORE = 0x80;
  private static final int BITS = 7;
  private static final int MAX_VARINT = 9;

  /** Begin and end of each run in turn, ascending; no two runs touch. */
  private final long[] edges;

  private DeliveredBytes(long[] edges) {
    this.edges = edges;
  }

  /** Returns the bytes of one range. */
  public static DeliveredBytes of(ByteRange range) {
    return range.isEmpty() ? NONE : new DeliveredBytes(new long[] {range.position(), range.end()});
  }

  /** Returns the bytes of ranges that are not empty, in any order. */
  static DeliveredBytes of(List<ByteRange> ranges) {
    int count = ranges.size();
    long[] begins = new long[count];
    long[] ends = new long[count];
    for (int i = 0; i < count; i++) {
      begins[i] = ranges.get(i).position();
      ends[i] = ranges.get(i).end();
    }
    // Where as many have ended as have begun, nothing goes on, whichever those are.
    Arrays.sort(begins);
    Arrays.sort(ends);
    long[] sorted = new long[2 * count];
    int size = 0;
    for (int i = 0; i < count; i++) {
      size = append(sorted, size, begins[i], ends[i]);
    }
    return new DeliveredBytes(Arrays.copyOf(sorted, size));
  }

  /** Returns these bytes and those of the range. */
  public DeliveredBytes plus(ByteRange range) {
    return plus(of(range));
  }

  /** Returns these bytes and the others. */
  public DeliveredBytes plus(DeliveredBytes other) {
    if (other.edges.length == 0) {
      return this;
    }
    if (edges.length == 0) {
      return other;
    }
    long[] merged = new long[edges.length + other.edges.length];
    int size = 0;
    int mine = 0;
    int theirs = 0;
    while (mine < edges.length || theirs < other.edges.length) {
      boolean isMine =
          theirs == other.edges.length
              || (mine < edges.length && edges[mine] <= other.edges[theirs]);
      long begin = isMine ? edges[mine] : other.edges[theirs];
      long end = isMine ? edges[mine + 1] : other.edges[theirs + 1];
      mine += isMine ? 2 : 0;
      theirs += isMine ? 0 : 2;
      size = append(merged, size, begin, end);
    }
    return new DeliveredBytes(longest(Arrays.copyOf(merged, size), MAX_RUNS));
  }

  /** Returns these bytes without the shortest runs beyond so many. */
  DeliveredBytes longest(int maxRuns) {
    return new DeliveredBytes(longest(edges, maxRuns));
  }

  /** Appends a run that begins no earlier than those before it; returns the new size. */
  private static int append(long[] runs, int size, long begin, long end) {
    if (size > 0 && begin <= runs[size - 1]) {
      runs[size - 1] = Math.max(runs[size - 1], end);
      return size;
    }
    runs[size] = begin;
    runs[size + 1] = end;
    return size + 2;
  }

  /** Returns how many bytes there are. */
  public long count() {
    long count = 0;
    for (int i = 0; i < edges.length; i += 2) {
      count += edges[i + 1] - edges[i];
    }
    return count;
  }

  /** Returns how many runs there are. */
  public int runs() {
    return edges.length / 2;
  }

  /**
   * Adds to each of the equal parts of an artifact the share of it that is among these bytes.
   *
   * @param parts one number for each part
   * @param length of the artifact, in bytes
   * @param devices that have these bytes: each adds as much
   */
  public void addShares(double[] parts, long length, long devices) {
    double size = (double) length / parts.length;
    for (int i = 0; i < edges.length; i += 2) {
      int last = Math.min(parts.length, (int) Math.ceil(edges[i + 1] / size)) - 1;
      for (int part = (int) (edges[i] / size); part <= last; part++) {
        double begin = Math.max((double) edges[i], part * size);
        double end = Math.min((double) edges[i + 1], (part + 1) * size);
        parts[part] += devices * Math.max(0, end - begin) / size;
      }
    }
  }

  /** Returns the lengths of gaps and runs in turn, each with seven bits a byte, lowest first. */
  public byte[] encoded() {
    ByteBuffer bytes = ByteBuffer.allocate(edges.length * MAX_VARINT);
    long before = 0;
    for (long edge : edges) {
      long rest = edge - before;
      while (rest >= MORE) {
        bytes.put((byte) (rest | MORE));
        rest >>>= BITS;
      }
      bytes.put((byte) rest);
      before = edge;
    }
    return Arrays.copyOf(bytes.array(), bytes.position());
  }

  /**
   * Reads what {@link #encoded} returned.
   *
   * @throws IllegalArgumentException if the bytes are anything else
   */
  public static DeliveredBytes decode(byte[] encoded) {
    long[] edges = new long[encoded.length];
    int size = 0;
    long edge = 0;
    int i = 0;
    while (i < encoded.length) {
      long length = 0;
      int shift = 0;
      while (i < encoded.length && encoded[i] < 0 && shift < MAX_VARINT * BITS) {
        length |= (long) (encoded[i++] & (MORE - 1)) << shift;
        shift += BITS;
      }
      if (i == encoded.length || shift >= MAX_VARINT * BITS) {
        throw new IllegalArgumentException("The delivered bytes end in the middle of a number");
      }
      length |= (long) encoded[i++] << shift;
      edge += length;
      if (edge < 0 || (length == 0 && size > 0)) {
        throw new IllegalArgumentException("The delivered bytes have an empty run or gap");
      }
      edges[size++] = edge;
    }
    if (size % 2 != 0) {
      throw new IllegalArgumentException("The delivered bytes have a run without an end");
    }
    return new DeliveredBytes(Arrays.copyOf(edges, size));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DeliveredBytes that && Arrays.equals(edges, that.edges);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(edges);
  }

  @Override
  public String toString() {
    return Arrays.toString(edges);
  }

  /** Drops the shortest runs beyond the most that are kept. */
  private static long[] longest(long[] edges, int maxRuns) {
    int surplus = edges.length / 2 - maxRuns;
    if (surplus <= 0) {
      return edges;
    }
    long[] lengths = new long[edges.length / 2];
    for (int i = 0; i < lengths.length; i++) {
      lengths[i] = edges[2 * i + 1] - edges[2 * i];
    }
    Arrays.sort(lengths);
    // One of the shortest length may be kept and another not: it is the same number of bytes.
    long shortest = lengths[surplus - 1];
    int equal = 0;
    for (int i = surplus - 1; i >= 0 && lengths[i] == shortest; i--) {
      equal++;
    }
    long[] kept = new long[2 * maxRuns];
    int size = 0;
    for (int i = 0; i < edges.length; i += 2) {
      long length = edges[i + 1] - edges[i];
      if (length < shortest || (length == shortest && equal-- > 0)) {
        continue;
      }
      kept[size++] = edges[i];
      kept[size++] = edges[i + 1];
    }
    return kept;
  }
}
