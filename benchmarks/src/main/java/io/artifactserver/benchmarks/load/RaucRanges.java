package io.artifactserver.benchmarks.load;

import java.util.SplittableRandom;

/**
 * Lengths as RAUC's streaming installation asks for them: multiples of its 4 KiB chunks, of which
 * neighbours are fetched together; median 20 KiB, 128 KiB at most. A logarithmic normal
 * distribution cut off at both ends.
 */
final class RaucRanges implements ByteSpan.Source {
  static final int CHUNK = 4096;
  static final int MEDIAN_CHUNKS = 5;
  static final int MAX_CHUNKS = 32;
  private static final double SPREAD = 0.9;

  @Override
  public ByteSpan next(SplittableRandom random, long fileLength) {
    long chunks = Math.round(MEDIAN_CHUNKS * Math.exp(SPREAD * random.nextGaussian()));
    return ByteSpan.at(random, (long) Math.clamp(chunks, 1, MAX_CHUNKS) * CHUNK, fileLength);
  }
}
