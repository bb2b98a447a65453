package io.artifactserver.storage.encrypted;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.KDF;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.HKDFParameterSpec;

/**
 * The key of one blob's segments, derived from its data key as Tink's AES-GCM-HKDF stream does.
 * Immutable, thread-safe. Says nothing of itself in {@link #toString()}.
 */
final class SegmentKey {
  private static final int KEY_LENGTH = 32;
  private static final int NONCE_LENGTH = 12;

  private final SecretKey key;
  private final byte[] noncePrefix;
  private final int segmentLength;

  private SegmentKey(SecretKey key, byte[] noncePrefix, int segmentLength) {
    this.key = key;
    this.noncePrefix = noncePrefix;
    this.segmentLength = segmentLength;
  }

  /**
   * Derives the key.
   *
   * @param dataKey of the blob; the caller zeroes it
   * @param blobKey bound to the key, so that no other blob's ciphertext passes as this one's
   */
  static SegmentKey derive(byte[] dataKey, String blobKey, SegmentHeader header) {
    try {
      SecretKey key =
          KDF.getInstance("HKDF-SHA256")
              .deriveKey(
                  "AES",
                  HKDFParameterSpec.ofExtract()
                      .addIKM(dataKey)
                      .addSalt(header.salt())
                      .thenExpand(associatedData(blobKey), KEY_LENGTH));
      return new SegmentKey(key, header.noncePrefix(), header.segmentLength());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java has no HKDF with SHA-256", e);
    }
  }

  /** The part that a stock Tink stream needs besides the data key. */
  static byte[] associatedData(String blobKey) {
    return ("artifact-server/1/" + blobKey).getBytes(StandardCharsets.US_ASCII);
  }

  /** Of a ciphertext segment, in bytes. */
  int segmentLength() {
    return segmentLength;
  }

  SecretKey key() {
    return key;
  }

  /**
   * The nonce of a segment: the prefix, the segment's number, and whether it is the last. Whoever
   * swaps, drops or adds segments changes one of them.
   */
  GCMParameterSpec nonce(long segment, boolean isLast) {
    ByteBuffer nonce = ByteBuffer.allocate(NONCE_LENGTH);
    nonce.put(noncePrefix).putInt((int) segment).put((byte) (isLast ? 1 : 0));
    return new GCMParameterSpec(SegmentLayout.TAG_LENGTH * Byte.SIZE, nonce.array());
  }

  /** As {@link Arrays#fill} with zeros, for key bytes that are not needed any more. */
  static void erase(byte[] secret) {
    Arrays.fill(secret, (byte) 0);
  }
}
