package io.artifactserver.benchmarks.load;

import java.nio.charset.StandardCharsets;

/**
 * Reads what the harness must know of an HTTP/1.1 response head, without making strings of it. Used
 * again for every response by one thread.
 */
final class ResponseHead {
  private int status;
  private long contentLength;
  private long first;
  private long last;
  private long complete;
  private boolean closes;
  private String entityTag = "";

  /**
   * @param head from the status line to the empty line
   * @param length of it in bytes
   * @param wantEntityTag whether {@link #entityTag} will be asked
   * @return false if it is not one that can be understood
   */
  boolean parse(byte[] head, int length, boolean wantEntityTag) {
    contentLength = -1;
    first = -1;
    last = -1;
    complete = -1;
    closes = false;
    entityTag = "";
    // "HTTP/1.1 206 "
    if (length < 14 || head[0] != 'H' || head[8] != ' ') {
      return false;
    }
    status = (head[9] - '0') * 100 + (head[10] - '0') * 10 + head[11] - '0';
    closes = head[7] == '0';
    int line = endOfLine(head, 0, length);
    while (line < length) {
      int end = endOfLine(head, line, length);
      if (is(head, line, end, "content-length:")) {
        contentLength = number(head, skipSpaces(head, line + 15, end), end);
      } else if (is(head, line, end, "content-range:")) {
        contentRange(head, skipSpaces(head, line + 14, end), end);
      } else if (is(head, line, end, "connection:")) {
        closes |= is(head, skipSpaces(head, line + 11, end), end, "close");
      } else if (is(head, line, end, "transfer-encoding:")) {
        return false;
      } else if (wantEntityTag && is(head, line, end, "etag:")) {
        int from = skipSpaces(head, line + 5, end);
        entityTag = new String(head, from, end - from, StandardCharsets.US_ASCII).strip();
      }
      line = end;
    }
    return status >= 100 && status < 600;
  }

  private void contentRange(byte[] head, int from, int end) {
    if (!is(head, from, end, "bytes ")) {
      return;
    }
    int dash = from + 6;
    while (dash < end && head[dash] != '-') {
      dash++;
    }
    int slash = dash;
    while (slash < end && head[slash] != '/') {
      slash++;
    }
    first = number(head, from + 6, end);
    last = number(head, dash + 1, end);
    complete = number(head, slash + 1, end);
  }

  private static int skipSpaces(byte[] head, int from, int end) {
    int at = from;
    while (at < end && head[at] == ' ') {
      at++;
    }
    return at;
  }

  private static int endOfLine(byte[] head, int from, int length) {
    int at = from;
    while (at < length && head[at] != '\n') {
      at++;
    }
    return at + 1;
  }

  private static boolean is(byte[] head, int from, int end, String lowerCase) {
    if (end - from < lowerCase.length()) {
      return false;
    }
    for (int i = 0; i < lowerCase.length(); i++) {
      int c = head[from + i];
      if (c >= 'A' && c <= 'Z') {
        c += 'a' - 'A';
      }
      if (c != lowerCase.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  private static long number(byte[] head, int from, int end) {
    long value = -1;
    for (int at = from; at < end && head[at] >= '0' && head[at] <= '9'; at++) {
      value = Math.max(value, 0) * 10 + head[at] - '0';
    }
    return value;
  }

  int status() {
    return status;
  }

  /** -1 if it was not there. */
  long contentLength() {
    return contentLength;
  }

  /** Whether Content-Range says exactly this. */
  boolean isRange(ByteSpan span, long fileLength) {
    return first == span.position() && last == span.end() - 1 && complete == fileLength;
  }

  /** Whether the server closes the connection after this response. */
  boolean closes() {
    return closes;
  }

  /** Empty if it was not there or not asked for. */
  String entityTag() {
    return entityTag;
  }
}
