package io.artifactserver.benchmarks.load;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The responses of one HTTP/1.1 connection, one after the other, as they arrive: a head, and a body
 * with a Content-Length whose every byte is compared. Used by one thread.
 */
final class Response {
  private static final int LONGEST_HEAD = 16 * 1024;
  private static final int HEAD_STEP = 1024;
  private static final byte[] NO_HEAD = {};

  private final Target target;
  private final Content content;
  private final ResponseHead parsed;

  private ByteSpan span = new ByteSpan(0, 1);
  private boolean whole;
  private boolean hasHead;
  private long received;
  private boolean closes;
  private byte[] head = NO_HEAD;
  private int headLength;
  private boolean wantEntityTag;
  private String entityTag = "";

  /**
   * @param content what the bytes are compared with
   * @param parsed reads heads; shared by the connections of a loop
   */
  Response(Target target, Content content, ResponseHead parsed) {
    this.target = target;
    this.content = content;
    this.parsed = parsed;
  }

  /** From now on, the response to a request for a span is expected, or for all. */
  void expect(ByteSpan newSpan, boolean newWhole) {
    span = newSpan;
    whole = newWhole;
    hasHead = false;
    headLength = 0;
    received = 0;
  }

  /**
   * Takes what has arrived.
   *
   * @return how many bytes of the body were in it
   * @throws UnexpectedResponseException if it is not the response that must come
   * @throws WrongBytesException if a byte of the body is another one
   */
  int take(ByteBuffer input) throws UnexpectedResponseException {
    if (!hasHead && !takeHead(input)) {
      return 0;
    }
    int n = (int) Math.min(input.remaining(), span.length() - received);
    if (n > 0) {
      int end = input.limit();
      input.limit(input.position() + n);
      long differs = content.mismatch(input, span.position() + received);
      if (differs >= 0) {
        throw new WrongBytesException(
            "%s sent a wrong byte at position %d, in its answer to %s"
                .formatted(target, differs, span));
      }
      input.position(input.limit()).limit(end);
      received += n;
    }
    return n;
  }

  boolean isComplete() {
    return hasHead && received == span.length();
  }

  /** Bytes of the body so far. */
  long received() {
    return received;
  }

  /** Whether the server will close the connection. */
  boolean closes() {
    return closes;
  }

  /** Whether the next responses' entity tags are to be read. */
  void wantEntityTag() {
    wantEntityTag = true;
  }

  /** The last one's, if it was wanted; empty otherwise. */
  String entityTag() {
    return entityTag;
  }

  /** For a message: how far it has come. */
  String progress() {
    return "%d of %d bytes%s"
        .formatted(received, span.length(), hasHead ? "" : ", before the head");
  }

  /** Returns whether the body may follow. */
  private boolean takeHead(ByteBuffer input) throws UnexpectedResponseException {
    int end = -1;
    while (end < 0) {
      if (headLength >= LONGEST_HEAD) {
        throw new UnexpectedResponseException("malformed", "the response head does not end");
      }
      if (!input.hasRemaining()) {
        return false;
      }
      int before = headLength;
      int n = Math.min(input.remaining(), HEAD_STEP);
      if (head.length < before + n) {
        head = Arrays.copyOf(head, before + n);
      }
      input.get(head, before, n);
      headLength += n;
      end = endOfHead(Math.max(3, before));
      if (end >= 0) {
        input.position(input.position() - (headLength - end));
      }
    }
    if (!parsed.parse(head, end, wantEntityTag)) {
      throw new UnexpectedResponseException(
          "malformed", "the response head cannot be understood: " + firstLine());
    }
    judge();
    if (wantEntityTag) {
      entityTag = parsed.entityTag();
    }
    closes = parsed.closes();
    hasHead = true;
    return true;
  }

  private void judge() throws UnexpectedResponseException {
    if (parsed.status() != (whole ? 200 : 206)) {
      throw new UnexpectedResponseException(
          "status " + parsed.status(), "status " + parsed.status() + " for " + span);
    }
    if (parsed.contentLength() != span.length()) {
      throw new UnexpectedResponseException(
          "wrong length",
          "Content-Length " + parsed.contentLength() + " where " + span.length() + " was right");
    }
    if (!whole && !parsed.isRange(span, content.length())) {
      throw new UnexpectedResponseException(
          "wrong range", "the Content-Range is not the range that was asked for: " + span);
    }
  }

  private int endOfHead(int from) {
    for (int i = from; i < headLength; i++) {
      if (head[i] == '\n' && head[i - 1] == '\r' && head[i - 2] == '\n' && head[i - 3] == '\r') {
        return i + 1;
      }
    }
    return -1;
  }

  private String firstLine() {
    String text = new String(head, 0, Math.min(headLength, 80), StandardCharsets.US_ASCII);
    return text.lines().findFirst().orElse("");
  }

  /** It is not the response that must come. */
  static final class UnexpectedResponseException extends Exception {
    private final String kind;

    UnexpectedResponseException(String kind, String message) {
      super(message);
      this.kind = kind;
    }

    /** In a word or two; what is alike is counted together. */
    String kind() {
      return kind;
    }
  }
}
