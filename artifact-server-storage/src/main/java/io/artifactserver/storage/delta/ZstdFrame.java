package io.artifactserver.storage.delta;

import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.derive.FramedChunk.Piece;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Zstandard frames that store bytes as they are (RFC 8878, section 3.1.1): casync and desync only
 * take compressed chunks, and this makes one of an artifact's own bytes without touching them.
 */
final class ZstdFrame {
  private static final int MAGIC = 0xfd2fb528;

  /** One segment, and a content size of four bytes; no dictionary, no checksum. */
  private static final byte DESCRIPTOR = (byte) 0xa0;

  private static final int FRAME_HEAD_LENGTH = 9;
  private static final int BLOCK_HEAD_LENGTH = 3;

  /** Longest block, in bytes. */
  static final int MAX_BLOCK = 128 * 1024;

  private ZstdFrame() {}

  /**
   * A frame around a range.
   *
   * @param range of a blob; not empty, shorter than 4 GiB
   */
  static FramedChunk of(ByteRange range) {
    List<Piece> pieces = new ArrayList<>();
    long position = range.position();
    while (position < range.end()) {
      boolean isFirst = position == range.position();
      int length = (int) Math.min(MAX_BLOCK, range.end() - position);
      ByteBuffer framing =
          ByteBuffer.allocate((isFirst ? FRAME_HEAD_LENGTH : 0) + BLOCK_HEAD_LENGTH)
              .order(ByteOrder.LITTLE_ENDIAN);
      if (isFirst) {
        framing.putInt(MAGIC).put(DESCRIPTOR).putInt((int) range.length());
      }
      boolean isLast = position + length == range.end();
      int blockHead = (length << 3) | (isLast ? 1 : 0);
      framing.put((byte) blockHead).putShort((short) (blockHead >> 8));
      pieces.add(new Piece(framing.flip().asReadOnlyBuffer(), new ByteRange(position, length)));
      position += length;
    }
    return new FramedChunk(pieces);
  }
}
