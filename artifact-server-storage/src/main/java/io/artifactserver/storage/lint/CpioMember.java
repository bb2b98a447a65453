package io.artifactserver.storage.lint;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The head of a member of an archive as SWUpdate reads it: cpio with ASCII numbers, of "new ASCII"
 * or "CRC" format. Immutable.
 *
 * @param name of the file
 * @param length of the file, in bytes
 * @param dataOffset where the file begins, from the head's first byte
 */
record CpioMember(String name, long length, long dataOffset) {
  /** More than an update has. */
  static final int MAX_MEMBERS = 16;

  private static final int HEAD = 110;
  private static final int DIGITS = 8;
  private static final int LENGTH_FIELD = 54;
  private static final int NAME_LENGTH_FIELD = 94;
  private static final int MAX_NAME = 256;
  private static final String TRAILER = "TRAILER!!!";
  private static final String DESCRIPTION = "sw-description";

  /** Reads the head of a member, if the bytes begin with one, and it is not the last. */
  static Optional<CpioMember> first(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.ISO_8859_1);
    if (text.length() < HEAD || !(text.startsWith("070701") || text.startsWith("070702"))) {
      return Optional.empty();
    }
    try {
      long length = number(text, LENGTH_FIELD);
      int nameLength = (int) number(text, NAME_LENGTH_FIELD);
      if (nameLength < 1 || nameLength > MAX_NAME || HEAD + nameLength > text.length()) {
        return Optional.empty();
      }
      String name = text.substring(HEAD, HEAD + nameLength - 1);
      return name.equals(TRAILER)
          ? Optional.empty()
          : Optional.of(new CpioMember(name, length, aligned(HEAD + nameLength)));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  /** Whether it is what the first member of an update is. */
  boolean describesUpdate() {
    return name.equals(DESCRIPTION);
  }

  /** Where the next member begins, from the head's first byte. */
  long end() {
    return aligned(dataOffset + length);
  }

  private static long number(String text, int offset) {
    return Long.parseUnsignedLong(text, offset, offset + DIGITS, 16);
  }

  private static long aligned(long offset) {
    return (offset + 3) & ~3L;
  }
}
