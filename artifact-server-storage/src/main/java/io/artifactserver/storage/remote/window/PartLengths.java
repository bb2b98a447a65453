package io.artifactserver.storage.remote.window;

import java.util.function.IntUnaryOperator;

/**
 * Lengths of parts that grow with their number, so that common artifacts are sent in small parts
 * and the largest object of S3, 5 TiB, still fits in the 10,000 parts that an upload may have: the
 * length doubles every 800 parts. Immutable.
 *
 * <p>From 5 MiB: 4 GB of parts of 5 MiB, 12 GB with parts of 10 MiB, ..., and 5.3 TiB with 3,600
 * parts of 1,280 MiB at the end.
 *
 * @param first length of the first 800 parts in bytes; {@value #MIN_FIRST} to {@value #MAX_LENGTH}
 */
public record PartLengths(int first) implements IntUnaryOperator {
  /** The least that S3 takes as a part that is not the last, in bytes. */
  public static final int MIN_FIRST = 5 << 20;

  /** No part is longer, in bytes. */
  public static final int MAX_LENGTH = 1280 << 20;

  /** Most parts of an upload. */
  public static final int MAX_PARTS = 10_000;

  private static final int STEP = 800;

  /**
   * @throws IllegalArgumentException if the length is out of its bounds
   */
  public PartLengths {
    if (first < MIN_FIRST || first > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "The first part has %d to %d bytes, not %d".formatted(MIN_FIRST, MAX_LENGTH, first));
    }
  }

  /** Length in bytes of the part of a number, from 1. */
  @Override
  public int applyAsInt(int number) {
    int doublings = Math.min((number - 1) / STEP, Integer.SIZE - 2);
    return (int) Math.min((long) first << doublings, MAX_LENGTH);
  }
}
