package io.artifactserver.storage.encrypted;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;

/**
 * The beginning of a ciphertext: 16 bytes of ours, then the header of a Tink AES-GCM-HKDF stream.
 * All integers are big-endian.
 *
 * <pre>
 * 0   8  "ASENC", 0, 0, 1
 * 8   4  segment length in bytes
 * 12  4  0
 * 16  1  40, the length of Tink's header
 * 17  32 salt
 * 49  7  nonce prefix
 * </pre>
 *
 * Both arrays are public values. Immutable by convention: they are not copied.
 *
 * @param segmentLength in bytes
 * @param salt of the key derivation
 * @param noncePrefix of every segment's nonce
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
record SegmentHeader(int segmentLength, byte[] salt, byte[] noncePrefix) {
  /** Of our own header, in bytes: what stock Tink calls the first segment's offset. */
  static final int OWN_LENGTH = 16;

  /** Of both headers, in bytes. */
  static final int LENGTH = 56;

  static final int SALT_LENGTH = 32;
  static final int NONCE_PREFIX_LENGTH = 7;
  private static final byte TINK_LENGTH = LENGTH - OWN_LENGTH;
  private static final byte[] MAGIC = {'A', 'S', 'E', 'N', 'C', 0, 0, 1};

  /** A header with a fresh salt and nonce prefix. */
  static SegmentHeader random(int segmentLength, SecureRandom random) {
    byte[] salt = new byte[SALT_LENGTH];
    byte[] noncePrefix = new byte[NONCE_PREFIX_LENGTH];
    random.nextBytes(salt);
    random.nextBytes(noncePrefix);
    return new SegmentHeader(segmentLength, salt, noncePrefix);
  }

  /**
   * Reads a header.
   *
   * @param bytes {@value #LENGTH} of them
   * @throws IllegalArgumentException if they are no header of this format
   */
  static SegmentHeader parse(byte[] bytes) {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    byte[] magic = new byte[MAGIC.length];
    byte[] salt = new byte[SALT_LENGTH];
    byte[] noncePrefix = new byte[NONCE_PREFIX_LENGTH];
    buffer.get(magic);
    int segmentLength = buffer.getInt();
    int reserved = buffer.getInt();
    byte tinkLength = buffer.get();
    buffer.get(salt).get(noncePrefix);
    if (!Arrays.equals(magic, MAGIC) || reserved != 0 || tinkLength != TINK_LENGTH) {
      throw new IllegalArgumentException("its first bytes are no header of an encrypted blob");
    }
    return new SegmentHeader(segmentLength, salt, noncePrefix);
  }

  byte[] toBytes() {
    return ByteBuffer.allocate(LENGTH)
        .put(MAGIC)
        .putInt(segmentLength)
        .putInt(0)
        .put(TINK_LENGTH)
        .put(salt)
        .put(noncePrefix)
        .array();
  }
}
