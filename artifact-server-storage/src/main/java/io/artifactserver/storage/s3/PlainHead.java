package io.artifactserver.storage.s3;

import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What counts of the head of an HTTP/1.1 answer (RFC 9112, sections 4 to 6).
 *
 * @param bodyLength in bytes, by Content-Length: bodies of other framing are refused
 * @param contentRange null if the answer has none
 * @param entityTag with its quotes; null if the answer has none
 * @param isKept whether the server keeps the connection open
 */
record PlainHead(
    int status,
    long bodyLength,
    @Nullable String contentRange,
    @Nullable String entityTag,
    boolean isKept) {
  private static final String VERSION = "HTTP/1.1 ";
  private static final int STATUS_LENGTH = 3;
  private static final int FIRST_FINAL_STATUS = 200;

  /**
   * Reads one.
   *
   * @param head its lines, each with CRLF at its end, without the empty one
   * @throws IOException if it is not plain enough: another version, an interim answer, no or two
   *     lengths, a coding, a folded line
   */
  static PlainHead parse(String head) throws IOException {
    int end = head.indexOf("\r\n");
    int status = status(head.substring(0, Math.max(0, end)));
    long length = -1;
    String contentRange = null;
    String entityTag = null;
    boolean isKept = true;
    for (int begin = end + 2; begin < head.length(); begin = end + 2) {
      end = head.indexOf("\r\n", begin);
      int colon = head.indexOf(':', begin);
      if (end < 0 || colon <= begin || colon > end) {
        throw new IOException("the head of an answer is malformed");
      }
      String value = head.substring(colon + 1, end).strip();
      switch (head.substring(begin, colon).toLowerCase(Locale.ROOT)) {
        case "content-length" -> {
          if (length >= 0) {
            throw new IOException("an answer has two lengths");
          }
          length = number(value);
        }
        case "content-range" -> contentRange = value;
        case "etag" -> entityTag = value;
        case "connection" -> isKept = !value.equalsIgnoreCase("close");
        case "transfer-encoding", "content-encoding" ->
            throw new IOException("an answer is coded: " + value);
        default -> {
          // Of no matter here.
        }
      }
    }
    if (length < 0) {
      throw new IOException("an answer has no length");
    }
    return new PlainHead(status, length, contentRange, entityTag, isKept);
  }

  private static int status(String line) throws IOException {
    int end = VERSION.length() + STATUS_LENGTH;
    if (line.startsWith(VERSION)
        && line.length() >= end
        && (line.length() == end || line.charAt(end) == ' ')) {
      int status = (int) number(line.substring(VERSION.length(), end));
      if (status >= FIRST_FINAL_STATUS) {
        return status;
      }
    }
    throw new IOException("no answer that is known here: " + line);
  }

  private static long number(String digits) throws IOException {
    try {
      if (!digits.isEmpty() && digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
        return Long.parseLong(digits);
      }
    } catch (NumberFormatException _) {
      // Too many digits.
    }
    throw new IOException("an answer has a malformed number: " + digits);
  }
}
