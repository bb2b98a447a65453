package io.artifactserver.rest.server.engine;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
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
  private final BooleanSupplier mayKeep;

  /**
   * What has come of the head and is not parsed, each piece up to its position. Pieces, because to
   * copy a head as it grows made three quarters of the garbage of a flood of long heads.
   */
  private List<ByteBuffer> kept = List.of();

  /** The last two bytes of a head that has come in part. */
  private int tail;

  /** The head being parsed; null in between. */
  private @Nullable ByteBuffer parsing;

  /**
   * @param maxLength of a head, in bytes
   * @param mayKeep whether what has come may be kept; if not, the connection has ended
   */
  LongHeadParser(
      RequestHandler handler, int maxLength, HttpCompliance compliance, BooleanSupplier mayKeep) {
    super(handler, maxLength, compliance);
    this.maxLength = maxLength;
    this.mayKeep = mayKeep;
  }

  @Override
  public boolean parseNext(ByteBuffer buffer) {
    if (!inHeaderState()) {
      return super.parseNext(buffer);
    }
    if (isAtEOF() && !buffer.hasRemaining()) {
      if (!isStart()) {
        kept = List.of();
        close();
      }
      return super.parseNext(buffer);
    }
    int prompt = kept.isEmpty() ? PROMPT_LENGTH - getHeaderLength() : 0;
    if (kept.isEmpty() && buffer.remaining() <= prompt) {
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
    if (mayKeep.getAsBoolean()) {
      keep(buffer);
    } else {
      kept = List.of();
      BufferUtil.clear(buffer);
      close();
    }
    return false;
  }

  private boolean parse(ByteBuffer buffer) {
    int begin = buffer.position();
    int end = buffer.limit();
    parsing = buffer;
    boolean isRequest = super.parseNext(buffer);
    parsing = null;
    if (inHeaderState()) {
      tail = tail(buffer, begin, end);
    }
    return isRequest;
  }

  /**
   * Takes what has come behind a head, in a buffer on the heap. To be called by the handler of that
   * head; otherwise it returns null.
   */
  @Nullable ByteBuffer takeRest() {
    ByteBuffer rest = parsing;
    return rest == null ? null : ByteBuffer.allocate(rest.remaining()).put(rest).flip();
  }

  /** Nothing that is kept ends a head, so what follows one is in the buffer still. */
  private boolean parseAll(ByteBuffer buffer) {
    List<ByteBuffer> pieces = kept;
    kept = List.of();
    for (ByteBuffer piece : pieces) {
      // Jetty reads an array less strictly than the buffers of a connection; this shows none.
      super.parseNext(piece.flip().asReadOnlyBuffer());
      if (!inHeaderState()) {
        BufferUtil.clear(buffer);
        return false;
      }
    }
    return parse(buffer);
  }

  private boolean hasRoom(ByteBuffer buffer) {
    int length = kept.stream().mapToInt(ByteBuffer::position).sum();
    return length + buffer.remaining() <= maxLength - getHeaderLength();
  }

  private void keep(ByteBuffer buffer) {
    tail = tail(buffer, buffer.position(), buffer.limit());
    if (kept.isEmpty()) {
      kept = new ArrayList<>();
    } else {
      ByteBuffer last = kept.getLast();
      int fitting = Math.min(last.remaining(), buffer.remaining());
      last.put(buffer.slice(buffer.position(), fitting));
      buffer.position(buffer.position() + fitting);
    }
    if (buffer.hasRemaining()) {
      kept.add(ByteBuffer.allocate(Math.max(buffer.remaining(), PROMPT_LENGTH)).put(buffer));
    }
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
