package io.artifactserver.rest.endtoend;

import java.util.SplittableRandom;

/** Content whose every position tells where it is from. */
final class Bytes {
  private Bytes() {}

  /** Pseudo-random bytes, the same for the same seed. */
  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }
}
