package io.artifactserver.storage.delta;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * MD4 (RFC 1320), which Java no longer has. zsync names blocks by it; it protects nothing. Used by
 * one thread.
 */
public final class Md4 {
  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LENGTHS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final int BLOCK = 64;
  private static final int ROUND_2 = 0x5a827999;
  private static final int ROUND_3 = 0x6ed9eba1;

  private final byte[] tail = new byte[2 * BLOCK];
  private final int[] x = new int[BLOCK / Integer.BYTES];
  private int a;
  private int b;
  private int c;
  private int d;

  /** The digest of a part of an array, in 16 bytes. */
  public byte[] digest(byte[] bytes, int offset, int length) {
    a = 0x67452301;
    b = 0xefcdab89;
    c = 0x98badcfe;
    d = 0x10325476;
    int whole = length - length % BLOCK;
    for (int i = 0; i < whole; i += BLOCK) {
      block(bytes, offset + i);
    }
    int rest = length - whole;
    int padded = rest < BLOCK - Long.BYTES ? BLOCK : 2 * BLOCK;
    Arrays.fill(tail, (byte) 0);
    System.arraycopy(bytes, offset + whole, tail, 0, rest);
    tail[rest] = (byte) 0x80;
    LENGTHS.set(tail, padded - Long.BYTES, 8L * length);
    for (int i = 0; i < padded; i += BLOCK) {
      block(tail, i);
    }
    byte[] digest = new byte[16];
    WORDS.set(digest, 0, a);
    WORDS.set(digest, 4, b);
    WORDS.set(digest, 8, c);
    WORDS.set(digest, 12, d);
    return digest;
  }

  private void block(byte[] bytes, int offset) {
    for (int i = 0; i < x.length; i++) {
      x[i] = (int) WORDS.get(bytes, offset + Integer.BYTES * i);
    }
    int a0 = a;
    int b0 = b;
    int c0 = c;
    int d0 = d;
    for (int i = 0; i < 16; i += 4) {
      a0 = first(a0, b0, c0, d0, x[i], 3);
      d0 = first(d0, a0, b0, c0, x[i + 1], 7);
      c0 = first(c0, d0, a0, b0, x[i + 2], 11);
      b0 = first(b0, c0, d0, a0, x[i + 3], 19);
    }
    for (int i = 0; i < 4; i++) {
      a0 = second(a0, b0, c0, d0, x[i], 3);
      d0 = second(d0, a0, b0, c0, x[i + 4], 5);
      c0 = second(c0, d0, a0, b0, x[i + 8], 9);
      b0 = second(b0, c0, d0, a0, x[i + 12], 13);
    }
    for (int i = 0; i < 4; i++) {
      int word = ((i & 1) << 1) | (i >> 1);
      a0 = third(a0, b0, c0, d0, x[word], 3);
      d0 = third(d0, a0, b0, c0, x[word + 8], 9);
      c0 = third(c0, d0, a0, b0, x[word + 4], 11);
      b0 = third(b0, c0, d0, a0, x[word + 12], 15);
    }
    a += a0;
    b += b0;
    c += c0;
    d += d0;
  }

  private static int first(int a, int b, int c, int d, int word, int shift) {
    return Integer.rotateLeft(a + ((b & c) | (~b & d)) + word, shift);
  }

  private static int second(int a, int b, int c, int d, int word, int shift) {
    return Integer.rotateLeft(a + ((b & c) | (b & d) | (c & d)) + word + ROUND_2, shift);
  }

  private static int third(int a, int b, int c, int d, int word, int shift) {
    return Integer.rotateLeft(a + (b ^ c ^ d) + word + ROUND_3, shift);
  }
}
