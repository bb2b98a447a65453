package io.artifactserver.storage.delta;

import java.math.BigInteger;

/**
 * Finds where casync cuts: the same bytes give the same chunks wherever they are in a file. Used by
 * one thread.
 *
 * <p>A chunk ends where the hash of its last {@value Buzhash#WINDOW} bytes is {@value
 * #DISCRIMINATOR} - 1 modulo {@value #DISCRIMINATOR}, or at {@value #MAX} bytes. As in casync, the
 * first place is behind {@value #MIN} bytes; desync begins one byte later, and each reads the
 * other's indexes.
 */
public final class Chunker {
  /** Shortest chunk but the last, in bytes. */
  static final int MIN = 16 * 1024;

  /** Length that the discriminator is made for, in bytes. */
  static final int AVERAGE = 64 * 1024;

  /** Longest chunk, in bytes. */
  static final int MAX = 256 * 1024;

  /** casync's: {@code AVERAGE / (-1.42888852e-7 * AVERAGE + 1.33237515)}, cut to an integer. */
  static final int DISCRIMINATOR = 49_535;

  /** {@code DISCRIMINATOR * INVERSE} is 1 modulo 2 to the power of 32. */
  private static final int INVERSE =
      BigInteger.valueOf(DISCRIMINATOR).modInverse(BigInteger.TWO.pow(Integer.SIZE)).intValue();

  private static final int MAX_QUOTIENT = Integer.divideUnsigned(-1, DISCRIMINATOR);

  /** Bytes before this place of a chunk are in no window that is tested. */
  private static final int SKIPPED = MIN - Buzhash.WINDOW;

  /** Bytes of the current chunk so far. */
  private int length;

  private int hash;

  /**
   * Goes on with the current chunk.
   *
   * @param bytes those before {@code from} too, {@value Buzhash#WINDOW} of them
   * @return the index behind the chunk's last byte; -1 if the chunk goes on behind {@code limit}
   */
  public int cut(byte[] bytes, int from, int limit) {
    int at = from;
    if (length < SKIPPED) {
      int skipped = Math.min(SKIPPED - length, limit - at);
      length += skipped;
      at += skipped;
    }
    while (length < MIN && at < limit) {
      hash = Buzhash.add(hash, bytes[at++]);
      length++;
      if (length == MIN && isBoundary(hash)) {
        return end(at);
      }
    }
    int start = at;
    int last = Math.min(limit, at + MAX - length);
    int rolling = hash;
    while (at < last) {
      rolling = Buzhash.roll(rolling, bytes[at - Buzhash.WINDOW], bytes[at]);
      at++;
      if (isBoundary(rolling)) {
        return end(at);
      }
    }
    hash = rolling;
    length += at - start;
    return length == MAX ? end(at) : -1;
  }

  /** Bytes of a chunk that the blob's end cuts; 0 if the last one ended there. */
  int rest() {
    return length;
  }

  private int end(int at) {
    length = 0;
    hash = 0;
    return at;
  }

  /**
   * Whether {@code hash % DISCRIMINATOR == DISCRIMINATOR - 1}, without a division: {@code hash + 1}
   * is a multiple of an odd number if, times its inverse, it is no more than the largest quotient.
   */
  private static boolean isBoundary(int hash) {
    return Integer.compareUnsigned((hash + 1) * INVERSE, MAX_QUOTIENT) <= 0 && hash != -1;
  }
}
