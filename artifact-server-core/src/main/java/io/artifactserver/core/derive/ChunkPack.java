package io.artifactserver.core.derive;

import io.artifactserver.core.range.ByteRange;

/**
 * Where the compressed chunks of one blob are in the blob that keeps them, in the order of the
 * index. Immutable, thread-safe; takes {@link #memory} bytes of the heap.
 */
public final class ChunkPack {
  private final long[] ends;

  private ChunkPack(long[] ends) {
    this.ends = ends;
  }

  /**
   * Makes a pack of chunks that follow each other from the first byte on.
   *
   * @param lengths of the compressed chunks, in bytes
   * @throws IllegalArgumentException if one has no bytes
   */
  public static ChunkPack of(int[] lengths) {
    long[] ends = new long[lengths.length];
    long end = 0;
    for (int i = 0; i < lengths.length; i++) {
      if (lengths[i] <= 0) {
        throw new IllegalArgumentException("A compressed chunk of " + lengths[i] + " bytes");
      }
      end += lengths[i];
      ends[i] = end;
    }
    return new ChunkPack(ends);
  }

  /** Bytes of all compressed chunks. */
  public long length() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  /**
   * Where a compressed chunk is.
   *
   * @param number of the chunk in the index
   * @throws IndexOutOfBoundsException if there are not so many
   */
  public ByteRange chunk(int number) {
    long begin = number == 0 ? 0 : ends[number - 1];
    return new ByteRange(begin, ends[number] - begin);
  }

  /** Bytes of heap that the pack takes. */
  public long memory() {
    return 32L + Long.BYTES * (long) ends.length;
  }
}
