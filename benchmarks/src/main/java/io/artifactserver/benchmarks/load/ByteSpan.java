package io.artifactserver.benchmarks.load;

import java.util.SplittableRandom;

/**
 * The bytes that one request asks for. The harness has its own, so that a mistake in the server's
 * arithmetic cannot hide itself.
 *
 * @param position of the first byte
 * @param length in bytes, at least 1
 */
record ByteSpan(long position, long length) {

  /** Position after the last byte. */
  long end() {
    return position + length;
  }

  /** Draws the next span of a connection. Called by the connection's thread only. */
  @FunctionalInterface
  interface Source {
    ByteSpan next(SplittableRandom random, long fileLength);
  }

  /** Always the same length, at random multiples of 4 KiB. */
  static Source random(int length) {
    return (random, fileLength) -> at(random, length, fileLength);
  }

  /** Always the same bytes; nearer to the beginning if the file is too short for them. */
  static Source fixed(long position, int length) {
    return (random, fileLength) -> {
      long fitting = Math.min(length, fileLength);
      return new ByteSpan(Math.min(position, fileLength - fitting), fitting);
    };
  }

  /** A random span of that length, or of the whole file if that is shorter. */
  static ByteSpan at(SplittableRandom random, long length, long fileLength) {
    if (length >= fileLength) {
      return new ByteSpan(0, fileLength);
    }
    long last = (fileLength - length) / Content.Stamped.PAGE;
    return new ByteSpan(random.nextLong(last + 1) * Content.Stamped.PAGE, length);
  }
}
