package io.artifactserver.core.derive;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * A chunk as it is sent: pieces of a blob with framing before each, and nothing copied. Immutable.
 *
 * @param pieces in the order in which they are sent
 */
public record FramedChunk(List<Piece> pieces) {
  public FramedChunk {
    pieces = List.copyOf(pieces);
  }

  /** In bytes, framing included. */
  public long length() {
    long length = 0;
    for (Piece piece : pieces) {
      length += piece.framing().remaining() + piece.range().length();
    }
    return length;
  }

  /** From the first of the blob's bytes to the last; the pieces follow each other. */
  public ByteRange covering() {
    long begin = pieces.getFirst().range().position();
    return new ByteRange(begin, pieces.getLast().range().end() - begin);
  }

  /**
   * One piece.
   *
   * @param framing that precedes the bytes; a reader duplicates it first
   * @param range of the blob
   */
  public record Piece(ByteBuffer framing, ByteRange range) {}
}
