package io.artifactserver.storage.delta;

import com.github.luben.zstd.Zstd;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.derive.ChunkPack;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivedForm;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;

/**
 * The chunks of a {@link CasyncIndexForm}, each a Zstandard frame as casync's and desync's stores
 * have it, one after the other; then the length of each in 32 bits, little-endian. Immutable,
 * thread-safe.
 */
public final class CasyncPackForm implements DerivedForm.Packed {
  /** The level of casync's and desync's own stores. */
  private static final int LEVEL = 3;

  /** Above it, chunks are sent out of the artifact itself and cost no disk. */
  private static final double WORTHWHILE = 0.9;

  @Override
  public String name() {
    return "castr";
  }

  @Override
  public boolean suits(List<ByteBuffer> sample) {
    long plain = 0;
    long packed = 0;
    for (ByteBuffer piece : sample) {
      byte[] out = new byte[(int) Zstd.compressBound(piece.remaining())];
      plain += piece.remaining();
      packed +=
          compress(piece.array(), piece.arrayOffset() + piece.position(), piece.remaining(), out);
    }
    return packed < WORTHWHILE * plain;
  }

  @Override
  public Derivation begin(long length, Derivation.Sink sink) {
    return new Packing(sink);
  }

  @Override
  public int tableLength(int chunks) {
    return Math.multiplyExact(Integer.BYTES, chunks);
  }

  @Override
  public ChunkPack pack(ByteBuffer table) {
    int[] lengths = new int[table.remaining() / Integer.BYTES];
    table.slice().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(lengths);
    return ChunkPack.of(lengths);
  }

  private static int compress(byte[] bytes, int offset, int length, byte[] out) {
    long packed = Zstd.compressByteArray(out, 0, out.length, bytes, offset, length, LEVEL);
    if (Zstd.isError(packed)) {
      throw new IllegalStateException("Zstandard cannot compress: " + Zstd.getErrorName(packed));
    }
    return (int) packed;
  }

  private static final class Packing implements Derivation {
    /** How much is cut at a time; what follows a cut is moved to the front. */
    private static final int PIECE_LENGTH = 16 * 1024;

    private static final int TABLE_BUFFER_LENGTH = 64 * 1024;

    private final Sink sink;
    private final Chunker chunker = new Chunker();

    /** The current chunk from its first byte on. */
    private final byte[] chunk = new byte[Chunker.MAX];

    private final byte[] packed = new byte[(int) Zstd.compressBound(Chunker.MAX)];
    private int filled;
    private int[] lengths = new int[1024];
    private int chunks;

    Packing(Sink sink) {
      this.sink = sink;
    }

    @Override
    public void update(ByteBuffer bytes) throws StorageException {
      while (bytes.hasRemaining()) {
        int length = Math.min(PIECE_LENGTH, Math.min(bytes.remaining(), chunk.length - filled));
        bytes.get(chunk, filled, length);
        cut(filled + length);
      }
    }

    @Override
    public void finish() throws StorageException {
      if (filled > 0) {
        endChunk(filled);
      }
      ByteBuffer table = ByteBuffer.allocate(TABLE_BUFFER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
      for (int i = 0; i < chunks; i++) {
        if (!table.hasRemaining()) {
          sink.write(table.flip());
          table.clear();
        }
        table.putInt(lengths[i]);
      }
      sink.write(table.flip());
    }

    private void cut(int end) throws StorageException {
      int from = filled;
      int limit = end;
      int cut = chunker.cut(chunk, from, limit);
      while (cut >= 0) {
        endChunk(cut);
        System.arraycopy(chunk, cut, chunk, 0, limit - cut);
        limit -= cut;
        cut = chunker.cut(chunk, 0, limit);
      }
      filled = limit;
    }

    private void endChunk(int length) throws StorageException {
      if (chunks == lengths.length) {
        lengths = Arrays.copyOf(lengths, 2 * chunks);
      }
      lengths[chunks] = compress(chunk, 0, length, packed);
      sink.write(ByteBuffer.wrap(packed, 0, lengths[chunks]));
      chunks++;
    }
  }
}
