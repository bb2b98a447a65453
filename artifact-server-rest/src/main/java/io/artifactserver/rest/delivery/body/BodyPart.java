package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.http.MultipartByteRanges;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;

/** A piece of a response body. Immutable but for the buffer's position. */
public sealed interface BodyPart {
  /** Framing. */
  record Framing(ByteBuffer bytes) implements BodyPart {}

  /** Bytes of the blob. */
  record Stored(ByteRange range) implements BodyPart {}

  /** The body of a plain 200 or 206. */
  static Iterator<BodyPart> of(ByteRange range) {
    return List.<BodyPart>of(new Stored(range)).iterator();
  }

  /** The body of a 200 that frames what is stored. */
  static Iterator<BodyPart> of(FramedChunk chunk) {
    return chunk.pieces().stream()
        .<BodyPart>mapMulti((piece, parts) -> {
          if (piece.framing().hasRemaining()) {
            parts.accept(new Framing(piece.framing().duplicate()));
          }
          parts.accept(new Stored(piece.range()));
        })
        .iterator();
  }

  /** The body of a multipart 206, made part by part. */
  static Iterator<BodyPart> of(MultipartByteRanges multipart) {
    List<ByteRange> ranges = multipart.ranges();
    return IntStream.rangeClosed(0, 2 * ranges.size())
        .<BodyPart>mapToObj(i -> {
          int part = i / 2;
          if (i % 2 == 1) {
            return new Stored(ranges.get(part));
          }
          return new Framing(
              ByteBuffer.wrap(
                  part < ranges.size() ? multipart.partHeader(part) : multipart.closing()));
        })
        .iterator();
  }
}
