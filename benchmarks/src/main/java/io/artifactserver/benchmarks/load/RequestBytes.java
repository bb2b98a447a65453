package io.artifactserver.benchmarks.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes one request after the other for a target. Used by one thread. */
final class RequestBytes {
  private static final byte[] RANGE = ascii("Range: bytes=");
  private static final byte[] IF_RANGE = ascii("\r\nIf-Range: ");
  private static final byte[] END = ascii("\r\n\r\n");

  private final byte[] head;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1024);

  RequestBytes(Target target) {
    this.head = ascii(target.requestHead());
  }

  /** A request for all of it, valid until the next one. */
  ByteBuffer forWhole() {
    return buffer.clear().put(head).put(END, 0, 2).flip();
  }

  /**
   * A request as it is, valid until the next one.
   *
   * @param request whole
   */
  ByteBuffer of(byte[] request) {
    return buffer.clear().put(request).flip();
  }

  /**
   * A request for a span, valid until the next one.
   *
   * @param ifRange entity tag for If-Range; empty for none
   */
  ByteBuffer forSpan(ByteSpan span, String ifRange) {
    buffer.clear().put(head).put(RANGE);
    putNumber(span.position());
    buffer.put((byte) '-');
    if (ifRange.isEmpty()) {
      putNumber(span.end() - 1);
    } else {
      // As clients resume: to the end, whatever that is.
      buffer.put(IF_RANGE).put(ascii(ifRange));
    }
    return buffer.put(END).flip();
  }

  private void putNumber(long number) {
    if (number >= 10) {
      putNumber(number / 10);
    }
    buffer.put((byte) ('0' + number % 10));
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
