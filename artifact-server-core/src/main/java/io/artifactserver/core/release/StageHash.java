package io.artifactserver.core.release;

/**
 * Decides which devices are among the first to get a release. Pure functions.
 *
 * <p>A device has the same place in a release each time it asks, so raising the percentage only
 * adds devices. In another release it has another place, so the same devices do not always go
 * first.
 */
final class StageHash {
  private static final long FNV_OFFSET = 0xcbf29ce484222325L;
  private static final long FNV_PRIME = 0x100000001b3L;
  private static final int PERCENT = 100;

  private StageHash() {}

  /** Whether the device is among the first so many percent. */
  static boolean includes(String device, String release, int percentage) {
    return percentage >= PERCENT
        || Math.unsignedMultiplyHigh(hash(device, release), PERCENT) < percentage;
  }

  /** FNV-1a over the characters, and the finalizer of MurmurHash3, whose high bits are even. */
  static long hash(String device, String release) {
    long hash = add(add(FNV_OFFSET, release) * FNV_PRIME, device);
    hash = (hash ^ (hash >>> 33)) * 0xff51afd7ed558ccdL;
    hash = (hash ^ (hash >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return hash ^ (hash >>> 33);
  }

  private static long add(long hash, String text) {
    long sum = hash;
    for (int i = 0; i < text.length(); i++) {
      sum = (sum ^ text.charAt(i)) * FNV_PRIME;
    }
    return sum;
  }
}
