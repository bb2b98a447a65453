package io.artifactserver.rest.engine;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpCompliance;
import org.eclipse.jetty.http.HttpParser;
import org.eclipse.jetty.util.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Parses the rest of a long head when it has come whole. Jetty's parser looks at each character as
 * it comes, and takes 0.5 ms of a selector's time for 30 KB. Heads that never end would cost that
 * too; of those, this parser keeps the bytes and only looks for the end.
 *
 * <p>It tells its handler what Jetty's would, with two exceptions. A long head that is wrong beyond
 * its first 2 KB is refused later: at its end, or where it is too long. And a connection that ends
 * within a head ends without an answer (RFC 9112, section 8, allows it): Jetty starts a thread for
 * each.
 */
final class LongHeadParser extends HttpParser {
  /** In bytes. Heads of devices are shorter. */
  static final int PROMPT_LENGTH = 2 * 1024;

  private final int maxLength;

  /** What has come of the head and is not parsed, up to its position. */
  private @Nullable ByteBuffer kept;

  /** The last two bytes of a head that has come in part. */
  private int tail;

  /**
   * @param maxLength of a head, in bytes
   */
  LongHeadParser(RequestHandler handler, int maxLength, HttpCompliance compliance) {
    super(handler, maxLength, compliance);
    this.maxLength = maxLength;
  }

  @Override
  public boolean parseNext(ByteBuffer buffer) {
    if (!inHeaderState()) {
      return super.parseNext(buffer);
    }
    if (isAtEOF() && !buffer.hasRemaining()) {
      if (!isStart()) {
        kept = null;
        close();
      }
      return super.parseNext(buffer);
    }
    int prompt = kept == null ? PROMPT_LENGTH - getHeaderLength() : 0;
    if (kept == null && buffer.remaining() <= prompt) {
      return parse(buffer);
    }
    if (isAtEOF() || endsIn(buffer) || !hasRoom(buffer)) {
      return parseAll(buffer);
    }
    if (prompt > 0) {
      ByteBuffer first = buffer.duplicate().limit(buffer.position() + prompt);
      boolean isRequest = parse(first);
      if (!inHeaderState()) {
        BufferUtil.clear(buffer);
        return isRequest;
      }
      buffer.position(first.position());
      if (isStart()) {
        // Empty lines before a head do not count as one that has begun.
        return parse(buffer);
      }
    }
    keep(buffer);
    return false;
  }

  private boolean parse(ByteBuffer buffer) {
    int begin = buffer.position();
    int end = buffer.limit();
    boolean isRequest = super.parseNext(buffer);
    if (inHeaderState()) {
      tail = tail(buffer, begin, end);
    }
    return isRequest;
  }

  /** Nothing that is kept ends a head, so what follows one is in the buffer still. */
  private boolean parseAll(ByteBuffer buffer) {
    ByteBuffer rest = kept;
    if (rest != null) {
      kept = null;
      // Jetty reads an array less strictly than the buffers of a connection; this shows none.
      super.parseNext(rest.flip().asReadOnlyBuffer());
      if (!inHeaderState()) {
        BufferUtil.clear(buffer);
        return false;
      }
    }
    return parse(buffer);
  }

  private boolean hasRoom(ByteBuffer buffer) {
    ByteBuffer known = kept;
    int length = known == null ? 0 : known.position();
    return length + buffer.remaining() <= maxLength - getHeaderLength();
  }

  private void keep(ByteBuffer buffer) {
    int length = buffer.remaining();
    tail = tail(buffer, buffer.position(), buffer.limit());
    ByteBuffer all = kept;
    if (all == null) {
      all = ByteBuffer.allocate(Math.max(length, PROMPT_LENGTH));
    } else if (all.remaining() < length) {
      int twice = Math.min(2 * all.capacity(), maxLength);
      all = ByteBuffer.allocate(Math.max(all.position() + length, twice)).put(all.flip());
    }
    kept = all.put(buffer);
  }

  /** Whether a line that is empty ends here (RFC 9112, section 2.2: its CR may be missing). */
  private boolean endsIn(ByteBuffer buffer) {
    int begin = buffer.position();
    int end = buffer.limit();
    for (int i = begin; i < end; i++) {
      if (buffer.get(i) == '\n') {
        int before = tail(buffer, begin, i);
        if ((before & 0xff) == '\n' || before == ('\n' << 8 | '\r')) {
          return true;
        }
      }
    }
    return false;
  }

  /** The two bytes before {@code end}, of which some may have come before {@code begin}. */
  private int tail(ByteBuffer buffer, int begin, int end) {
    int bytes = tail;
    for (int i = Math.max(begin, end - 2); i < end; i++) {
      bytes = bytes << 8 | (buffer.get(i) & 0xff);
    }
    return bytes & 0xffff;
  }
}
