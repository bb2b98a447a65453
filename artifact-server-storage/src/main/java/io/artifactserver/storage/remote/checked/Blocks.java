package io.artifactserver.storage.remote.checked;

import io.artifactserver.core.range.ByteRange;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/** The blocks of a blob, each with a checksum. Pure functions, and the checksums of a new blob. */
final class Blocks {
  /** In bytes. */
  static final int LENGTH = 64 * 1024;

  /** RFC 3720, appendix B.4, bits reversed. */
  private static final int CRC32C_POLYNOMIAL = 0x82F63B78;

  private Blocks() {}

  static long startOf(long position) {
    return position - position % LENGTH;
  }

  /** Length of the block at {@code start} in a blob of {@code length} bytes. */
  static int lengthAt(long start, long length) {
    return (int) Math.min(LENGTH, length - start);
  }

  /** The whole blocks that have the range. */
  static ByteRange covering(ByteRange range, long length) {
    if (range.isEmpty()) {
      return range;
    }
    long start = startOf(range.position());
    long end = Math.min(length, startOf(range.end() - 1) + LENGTH);
    return new ByteRange(start, end - start);
  }

  /** Whether there is a checksum for each block. */
  static boolean fit(byte[] checksums, long length) {
    return checksums.length == Math.ceilDiv(length, (long) LENGTH) * Integer.BYTES;
  }

  /**
   * Whether a block's bytes have its checksum.
   *
   * @param block all of its bytes, from position to limit; left as they are
   */
  static boolean isRight(byte[] checksums, long start, ByteBuffer block) {
    CRC32C crc = new CRC32C();
    crc.update(block.duplicate());
    int index = Math.toIntExact(start / LENGTH);
    return ByteBuffer.wrap(checksums).getInt(index * Integer.BYTES) == (int) crc.getValue();
  }

  /** Takes a blob's bytes in order. Used by one thread. */
  static final class Summing {
    private final ByteArrayOutputStream checksums = new ByteArrayOutputStream();
    private final CRC32C crc = new CRC32C();
    private int filled;

    /**
     * @param bytes are read to their limit
     */
    void add(ByteBuffer bytes) {
      while (bytes.hasRemaining()) {
        int length = Math.min(bytes.remaining(), LENGTH - filled);
        crc.update(bytes.slice(bytes.position(), length));
        bytes.position(bytes.position() + length);
        filled += length;
        if (filled == LENGTH) {
          endBlock();
        }
      }
    }

    /** The checksums so far, as {@link #resume} takes them. */
    byte[] save() {
      return ByteBuffer.allocate(checksums.size() + 2 * Integer.BYTES)
          .put(checksums.toByteArray())
          .putInt((int) crc.getValue())
          .putInt(filled)
          .array();
    }

    /**
     * Goes on where another object was {@linkplain #save saved}.
     *
     * @throws IllegalArgumentException if the bytes are of none
     */
    static Summing resume(byte[] saved) {
      int whole = saved.length - 2 * Integer.BYTES;
      if (whole < 0 || whole % Integer.BYTES != 0) {
        throw new IllegalArgumentException("its checksums are cut off");
      }
      ByteBuffer end = ByteBuffer.wrap(saved, whole, 2 * Integer.BYTES);
      Summing summing = new Summing();
      summing.checksums.write(saved, 0, whole);
      int crc = end.getInt();
      summing.filled = end.getInt();
      if (summing.filled < 0 || summing.filled >= LENGTH) {
        throw new IllegalArgumentException("its last block does not fit");
      }
      if (summing.filled > 0) {
        summing.crc.update(bytesWithChecksum(crc));
      }
      return summing;
    }

    /**
     * Four bytes that bring a fresh CRC32C to a value: Java's cannot be given one. The shift
     * register runs backwards over 32 bits.
     */
    private static byte[] bytesWithChecksum(int value) {
      int register = ~value;
      for (int bit = 0; bit < Integer.SIZE; bit++) {
        register = register < 0 ? (register ^ CRC32C_POLYNOMIAL) << 1 | 1 : register << 1;
      }
      return ByteBuffer.allocate(Integer.BYTES)
          .order(ByteOrder.LITTLE_ENDIAN)
          .putInt(~register)
          .array();
    }

    /** The checksums of all; nothing may be added any more. */
    byte[] finish() {
      if (filled > 0) {
        endBlock();
      }
      return checksums.toByteArray();
    }

    private void endBlock() {
      checksums.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array());
      crc.reset();
      filled = 0;
    }
  }
}
