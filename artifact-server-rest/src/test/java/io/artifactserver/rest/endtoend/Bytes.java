package io.artifactserver.rest.endtoend;

import java.util.Random;

/** Content whose every position tells where it is from. */
final class Bytes {
  private Bytes() {}

  /** Pseudo-random bytes, the same for the same seed. */
  static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }
}
