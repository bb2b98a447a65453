package io.artifactserver.rest.delivery.resolve;

import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.FramedChunk;
import java.nio.ByteBuffer;
import java.util.List;

/** Its bytes are the ids of chunks of one byte, and an id is that byte again and again. */
record BytewiseForm() implements DerivedForm.Chunked {
  static final String NAME = "caibx";

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public String suffix() {
    return ".caibx";
  }

  @Override
  public String mediaType() {
    return "text/plain";
  }

  @Override
  public ChunkIndex index(ByteBuffer form) {
    byte[] ids = new byte[form.remaining()];
    form.get(ids);
    long[] ends = new long[ids.length / ChunkIndex.ID_LENGTH];
    for (int i = 0; i < ends.length; i++) {
      ends[i] = i + 1L;
    }
    return ChunkIndex.of(ends, ids);
  }

  @Override
  public FramedChunk frame(ChunkIndex.Chunk chunk) {
    return new FramedChunk(List.of(new FramedChunk.Piece(ByteBuffer.allocate(0), chunk.range())));
  }

  @Override
  public Derivation begin(long length, Derivation.Sink sink) {
    throw new UnsupportedOperationException();
  }
}
