package io.artifactserver.core.derive;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;

/**
 * The chunks of one blob, found by their ids. A chunk that occurs several times is found at one of
 * its places. Immutable, thread-safe; takes {@link #memory} bytes of the heap.
 *
 * <p>The ids are sorted and searched by halves: an uploader chooses them, and could make the slots
 * of a hash table collide.
 */
public final class ChunkIndex {
  /** Length of an id in bytes. */
  public static final int ID_LENGTH = 32;

  /** In the order of the blob. */
  private final long[] ends;

  /** In the order of the blob. */
  private final byte[] ids;

  /** Numbers of the chunks, by id. */
  private final int[] byId;

  private ChunkIndex(long[] ends, byte[] ids) {
    this.ends = ends;
    this.ids = ids;
    this.byId = sorted(ids);
  }

  /**
   * Makes an index of chunks that follow each other from the blob's first byte to its last.
   *
   * @param ends where each chunk ends in the blob, in bytes; ascending
   * @param ids of {@value #ID_LENGTH} bytes each, one after the other
   * @throws IllegalArgumentException if there are not as many ids as ends, or a chunk has no bytes
   */
  public static ChunkIndex of(long[] ends, byte[] ids) {
    if (ids.length != ends.length * ID_LENGTH) {
      throw new IllegalArgumentException(ends.length + " chunks with " + ids.length + " id bytes");
    }
    long begin = 0;
    for (long end : ends) {
      if (end <= begin) {
        throw new IllegalArgumentException("A chunk from " + begin + " to " + end);
      }
      begin = end;
    }
    return new ChunkIndex(ends.clone(), ids.clone());
  }

  /** How many chunks the blob has, repeated ones counted each time. */
  public int count() {
    return ends.length;
  }

  /** Length of the blob in bytes. */
  public long length() {
    return ends.length == 0 ? 0 : ends[ends.length - 1];
  }

  /** Bytes of heap that the index takes. */
  public long memory() {
    return 64L + ends.length * (8L + ID_LENGTH + 4);
  }

  /**
   * The chunk with an id, if the blob has it. Takes less than a microsecond.
   *
   * @param id {@value #ID_LENGTH} bytes
   */
  public Optional<Chunk> find(byte[] id) {
    int low = 0;
    int high = byId.length - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      int order = compare(ids, byId[middle], id, 0);
      if (order == 0) {
        return Optional.of(chunk(byId[middle]));
      }
      if (order < 0) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return Optional.empty();
  }

  /**
   * A chunk by its place in the blob.
   *
   * @throws IndexOutOfBoundsException if there are not so many
   */
  public Chunk chunk(int number) {
    long begin = number == 0 ? 0 : ends[number - 1];
    return new Chunk(
        number,
        ByteBuffer.wrap(ids, number * ID_LENGTH, ID_LENGTH).slice().asReadOnlyBuffer(),
        new ByteRange(begin, ends[number] - begin));
  }

  /** Whether the blob has a chunk of another one. */
  public boolean has(Chunk chunk) {
    byte[] id = new byte[ID_LENGTH];
    chunk.id().get(0, id);
    return find(id).isPresent();
  }

  private static int[] sorted(byte[] ids) {
    Integer[] numbers = new Integer[ids.length / ID_LENGTH];
    Arrays.setAll(numbers, i -> i);
    Arrays.sort(numbers, (a, b) -> compare(ids, a, ids, b));
    return Arrays.stream(numbers).mapToInt(Integer::intValue).toArray();
  }

  private static int compare(byte[] left, int leftNumber, byte[] right, int rightNumber) {
    return Arrays.compareUnsigned(
        left,
        leftNumber * ID_LENGTH,
        (leftNumber + 1) * ID_LENGTH,
        right,
        rightNumber * ID_LENGTH,
        (rightNumber + 1) * ID_LENGTH);
  }

  /**
   * A chunk.
   *
   * @param number of its place in the blob, from 0
   * @param id read-only
   * @param range of the blob
   */
  public record Chunk(int number, ByteBuffer id, ByteRange range) {}
}
