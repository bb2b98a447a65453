package io.artifactserver.core.digest;

import java.security.MessageDigest;

/**
 * Message digests whose state can be saved in the middle, and taken up by another process. Those of
 * the JDK cannot. Thread-safe; the digests are used by one thread at a time.
 */
public interface SavableDigests {
  /** A fresh message digest. */
  MessageDigest begin(DigestAlgorithm algorithm);

  /**
   * The state of a message digest of this object, fewer than 32 KiB. The digest goes on unchanged.
   *
   * @throws IllegalArgumentException if it is another one's
   */
  byte[] save(MessageDigest digest);

  /**
   * A message digest as it was when it was {@linkplain #save saved}.
   *
   * @throws IllegalArgumentException if it is not a state of the algorithm
   */
  MessageDigest resume(DigestAlgorithm algorithm, byte[] state);
}
