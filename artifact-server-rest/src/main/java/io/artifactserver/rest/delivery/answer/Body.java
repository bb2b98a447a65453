package io.artifactserver.rest.delivery.answer;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.derive.FramedChunk;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.rest.delivery.body.BodyPart;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.http.MultipartByteRanges;
import io.artifactserver.rest.http.ResponsePlan;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The body of an answer, before it is opened. Immutable.
 *
 * @param length in bytes
 * @param covering every stored part of it
 * @param ranges that are stored
 * @param parts in the order in which they are sent
 */
record Body(
    String mediaType,
    long length,
    ByteRange covering,
    List<ByteRange> ranges,
    Supplier<Iterator<BodyPart>> parts) {
  /** Returns the body that a GET is answered with; null for 304, 412 and 416. */
  static @Nullable Body of(Served served, ResponsePlan plan) {
    long complete = served.representation().length();
    return switch (plan) {
      case ResponsePlan.Whole _
          when served.bytes() instanceof Served.Bytes.Framed(BlobRef _, FramedChunk chunk) ->
          new Body(
              served.mediaType(),
              complete,
              chunk.covering(),
              chunk.pieces().stream().map(FramedChunk.Piece::range).toList(),
              () -> BodyPart.of(chunk));
      case ResponsePlan.Whole _ -> of(served, ByteRange.whole(complete));
      case ResponsePlan.Single(ByteRange range) -> of(served, range);
      case ResponsePlan.Multiple(List<ByteRange> ranges) -> {
        MultipartByteRanges multipart =
            new MultipartByteRanges(ranges, served.mediaType(), complete);
        yield new Body(
            multipart.contentType(),
            multipart.length(),
            ByteRange.whole(complete),
            ranges,
            () -> BodyPart.of(multipart));
      }
      case ResponsePlan.NotModified _,
          ResponsePlan.PreconditionFailed _,
          ResponsePlan.RangeNotSatisfiable _ ->
          null;
    };
  }

  private static Body of(Served served, ByteRange range) {
    return new Body(
        served.mediaType(), range.length(), range, List.of(range), () -> BodyPart.of(range));
  }
}
