package io.artifactserver.core.blob;

import io.artifactserver.core.digest.Hex;

/**
 * Names one stored blob. Keys are random and never used twice, so whatever is cached under a key
 * stays true, and undoing an upload can never hurt another artifact. Immutable.
 *
 * @param key 32 lower-case hexadecimal digits, chosen by the store
 * @param length of the plain bytes
 * @param encrypted whether the stored bytes are ciphertext
 */
public record BlobRef(String key, long length, boolean encrypted) {
  /** In bytes. */
  private static final int KEY_LENGTH = 16;

  /** A blob whose stored bytes are the plain ones. */
  public BlobRef(String key, long length) {
    this(key, length, false);
  }

  /**
   * @throws IllegalArgumentException if the key has another form: keys become file names and object
   *     names, so nothing else may pass
   */
  public BlobRef {
    requireKey(key);
    if (length < 0) {
      throw new IllegalArgumentException("Blob " + key + " of length " + length);
    }
  }

  /** A key that no blob has: 128 random bits. */
  public static String newKey() {
    return Hex.random(KEY_LENGTH);
  }

  /**
   * Returns {@code key} after checking it.
   *
   * @throws IllegalArgumentException if it has another form: keys become file names and object
   *     names, so nothing else may pass
   */
  public static String requireKey(String key) {
    if (!isKey(key)) {
      throw new IllegalArgumentException("Not a blob key: \"" + key + '"');
    }
    return key;
  }

  /** Whether {@code text} has the form of a key. */
  public static boolean isKey(String text) {
    return text.length() == 32 && Hex.isLowerCase(text);
  }
}
