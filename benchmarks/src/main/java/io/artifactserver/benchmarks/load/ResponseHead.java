package io.artifactserver.benchmarks.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * The head of an HTTP/1.1 response, of which the harness reads what it must know.
 *
 * @param text from the status line to the empty line
 */
record ResponseHead(String text) {
  /** Takes a head from a buffer; returns its length with the empty line, or -1 if it has no end. */
  static int end(ByteBuffer input, int length) {
    for (int i = 3; i < length; i++) {
      if (input.get(i) == '\n'
          && input.get(i - 1) == '\r'
          && input.get(i - 2) == '\n'
          && input.get(i - 3) == '\r') {
        return i + 1;
      }
    }
    return -1;
  }

  static ResponseHead of(ByteBuffer input, int length) {
    byte[] bytes = new byte[length];
    input.get(0, bytes);
    return new ResponseHead(new String(bytes, StandardCharsets.ISO_8859_1));
  }

  /** Whether it is one that can be understood: bodies have a length here. */
  boolean isUnderstood() {
    return text.startsWith("HTTP/1.")
        && text.length() > 13
        && text.charAt(8) == ' '
        && field("transfer-encoding:").isEmpty();
  }

  String status() {
    return text.substring(9, 12);
  }

  /** A field's value; empty if it is not there. */
  String field(String nameWithColon) {
    for (int line = text.indexOf('\n') + 1; line > 0; line = text.indexOf('\n', line) + 1) {
      if (text.regionMatches(true, line, nameWithColon, 0, nameWithColon.length())) {
        return text.substring(line + nameWithColon.length(), text.indexOf('\n', line)).strip();
      }
    }
    return "";
  }

  /** Whether Content-Range says exactly this. */
  boolean isRange(ByteSpan span, long fileLength) {
    return field("content-range:")
        .equals("bytes " + span.position() + "-" + (span.end() - 1) + "/" + fileLength);
  }

  /** Whether the server closes the connection after this response. */
  boolean closes() {
    return text.startsWith("HTTP/1.0") || field("connection:").equalsIgnoreCase("close");
  }
}
