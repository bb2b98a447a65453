package io.artifactserver.core.derive;

import java.util.Arrays;
import java.util.HexFormat;

/**
 * Knows files that are one compressed stream by their first bytes. In such a file everything behind
 * the first change differs, so there is nothing that an update could reuse.
 */
public final class CompressedStream {
  /** gzip, xz, Zstandard, bzip2, LZ4 and lzip. */
  private static final byte[][] MAGICS = {
    HexFormat.of().parseHex("1f8b08"),
    HexFormat.of().parseHex("fd377a585a00"),
    HexFormat.of().parseHex("28b52ffd"),
    HexFormat.of().parseHex("425a68"),
    HexFormat.of().parseHex("04224d18"),
    HexFormat.of().parseHex("4c5a4950"),
  };

  private CompressedStream() {}

  /**
   * Whether a file is one compressed stream.
   *
   * @param head its first bytes
   * @param length how many there are
   */
  public static boolean isOne(byte[] head, int length) {
    return Arrays.stream(MAGICS)
        .anyMatch(magic ->
            length >= magic.length && Arrays.equals(head, 0, magic.length, magic, 0, magic.length));
  }
}
