package io.artifactserver.storage.encrypted;

import java.security.GeneralSecurityException;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;

/**
 * A cipher and room for one segment, plain and encrypted: too much to be made again for each. Used
 * by one thread at a time.
 */
final class SegmentCipher {
  /** Long enough for the processor's own instructions to be worth their start, in bytes. */
  private static final int WARM_UP_LENGTH = 2048;

  /** Measured: it takes 8,000 calls. */
  private static final int WARM_UP_ROUNDS = 16_000;

  private static final AtomicBoolean WARM = new AtomicBoolean();

  private final Cipher cipher;
  private final byte[] ciphertext;
  private final byte[] plain;

  private SegmentCipher(int segmentLength) {
    try {
      cipher = Cipher.getInstance("AES/GCM/NoPadding");
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java has no AES-GCM", e);
    }
    ciphertext = new byte[segmentLength];
    plain = new byte[segmentLength];
  }

  /** Where a caller puts what is to be decrypted, and finds what was encrypted. */
  byte[] ciphertext() {
    return ciphertext;
  }

  /** Where a caller finds what was decrypted. Not to be read after a failure. */
  byte[] plain() {
    return plain;
  }

  /**
   * Decrypts the first {@code length} bytes of {@link #ciphertext()} into {@link #plain()}.
   *
   * @throws AEADBadTagException if they are not the segment's
   */
  void decrypt(SegmentKey key, long segment, boolean isLast, int length)
      throws AEADBadTagException {
    try {
      cipher.init(Cipher.DECRYPT_MODE, key.key(), key.nonce(segment, isLast));
      cipher.doFinal(ciphertext, 0, length, plain, 0);
    } catch (AEADBadTagException e) {
      throw e;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("A segment cannot be decrypted", e);
    }
  }

  /**
   * Encrypts {@code length} bytes of {@code source} into {@link #ciphertext()}.
   *
   * @return the length of the ciphertext
   */
  int encrypt(SegmentKey key, long segment, boolean isLast, byte[] source, int length) {
    try {
      cipher.init(Cipher.ENCRYPT_MODE, key.key(), key.nonce(segment, isLast));
      return cipher.doFinal(source, 0, length, ciphertext, 0);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("A segment cannot be encrypted", e);
    }
  }

  /**
   * Has Java compile what decrypts, which takes a hundred times as long before: half a minute's
   * downloads of a server that has just started would be slow. Takes 0.1 to 0.2 s of a thread of
   * its own, at the first call.
   */
  static void warmUp() {
    if (!WARM.getAndSet(true)) {
      Thread.ofPlatform().daemon().name("cipher-warm-up").start(SegmentCipher::decryptOften);
    }
  }

  private static void decryptOften() {
    byte[] bytes = new byte[WARM_UP_LENGTH];
    SegmentCipher warmed = new SegmentCipher(WARM_UP_LENGTH + SegmentLayout.TAG_LENGTH);
    SegmentKey key =
        SegmentKey.derive(
            bytes,
            "",
            new SegmentHeader(WARM_UP_LENGTH, bytes, new byte[SegmentHeader.NONCE_PREFIX_LENGTH]));
    int length = warmed.encrypt(key, 0, true, bytes, bytes.length);
    try {
      for (int i = 0; i < WARM_UP_ROUNDS; i++) {
        warmed.decrypt(key, 0, true, length);
      }
    } catch (AEADBadTagException e) {
      throw new IllegalStateException("AES-GCM does not decrypt what it encrypted", e);
    }
  }

  /** Keeps a few ciphers for the next one who needs one. Thread-safe. */
  static final class Pool {
    /** Of what earlier settings may have made; longer ones are kept if they are the present one. */
    private static final int MAX_KEPT_LENGTH = 128 * 1024;

    private final int segmentLength;
    private final Queue<SegmentCipher> idle;

    /**
     * @param segmentLength of new blobs
     * @param size most ciphers to keep
     */
    Pool(int segmentLength, int size) {
      this.segmentLength = segmentLength;
      this.idle = new ArrayBlockingQueue<>(size);
    }

    int segmentLength() {
      return segmentLength;
    }

    /** A cipher for segments of up to a length; given back by {@link #release}. */
    SegmentCipher acquire(int length) {
      SegmentCipher pooled = idle.poll();
      // Of two lengths in use, the pool comes to keep the longer.
      return pooled != null && pooled.length() >= length ? pooled : new SegmentCipher(length);
    }

    /** The caller keeps no reference to its buffers. */
    void release(SegmentCipher cipher) {
      if (cipher.length() <= Math.max(segmentLength, MAX_KEPT_LENGTH)) {
        // Dropped if there are enough.
        var _ = idle.offer(cipher);
      }
    }
  }

  private int length() {
    return ciphertext.length;
  }
}
