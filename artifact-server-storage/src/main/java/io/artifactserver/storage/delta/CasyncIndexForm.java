package io.artifactserver.storage.delta;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.derive.ChunkIndex;
import io.artifactserver.core.derive.Derivation;
import io.artifactserver.core.derive.DerivedForm;
import io.artifactserver.core.derive.FramedChunk;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * An index of a blob's chunks as {@code casync make} and {@code desync make} write it ({@code
 * .caibx}; casync, caformat.h). All numbers are 64 bits, little-endian. Immutable, thread-safe.
 *
 * <p>The bytes are casync's, but for the feature flags, which are desync's: casync adds one that
 * says which files of a directory it left out.
 */
public final class CasyncIndexForm implements DerivedForm.Chunked {
  private static final long INDEX = 0x96824d9c7b129ff9L;
  private static final long TABLE = 0xe75b9e112f17417dL;
  private static final long TABLE_TAIL = 0x4b4f050e5549ecd1L;

  /** Ids are SHA-512/256; the rest concerns directories. */
  private static final long FLAGS = 0xa000000000000000L;

  private static final int HEAD_LENGTH = 48;
  private static final int TABLE_HEAD_LENGTH = 16;
  private static final int ENTRY_LENGTH = 8 + ChunkIndex.ID_LENGTH;
  private static final int TAIL_LENGTH = 40;
  private static final int BUFFER_LENGTH = 64 * 1024;

  @Override
  public String name() {
    return "caibx";
  }

  @Override
  public String suffix() {
    return ".caibx";
  }

  @Override
  public String mediaType() {
    return "application/octet-stream";
  }

  @Override
  public Derivation begin(long length, Derivation.Sink sink) {
    return new Indexing(sink);
  }

  @Override
  public ChunkIndex index(ByteBuffer form) {
    ByteBuffer in = form.slice().order(ByteOrder.LITTLE_ENDIAN);
    int entries = in.remaining() - HEAD_LENGTH - TABLE_HEAD_LENGTH - TAIL_LENGTH;
    if (entries < 0 || entries % ENTRY_LENGTH != 0 || in.getLong(8) != INDEX) {
      throw new IllegalArgumentException("No chunk index: " + in.remaining() + " bytes");
    }
    int count = entries / ENTRY_LENGTH;
    long[] ends = new long[count];
    byte[] ids = new byte[count * ChunkIndex.ID_LENGTH];
    in.position(HEAD_LENGTH + TABLE_HEAD_LENGTH);
    for (int i = 0; i < count; i++) {
      ends[i] = in.getLong();
      in.get(ids, i * ChunkIndex.ID_LENGTH, ChunkIndex.ID_LENGTH);
    }
    return ChunkIndex.of(ends, ids);
  }

  @Override
  public FramedChunk frame(ChunkIndex.Chunk chunk) {
    return ZstdFrame.of(chunk.range());
  }

  private static MessageDigest newId() {
    try {
      return MessageDigest.getInstance("SHA-512/256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("This Java has no SHA-512/256", e);
    }
  }

  private static final class Indexing implements Derivation {
    private final Sink sink;
    private final Chunker chunker = new Chunker();
    private final MessageDigest id = newId();

    /** The last bytes of what came before, then what is being cut. */
    private final byte[] window = new byte[Buzhash.WINDOW + BUFFER_LENGTH];

    private final ByteBuffer out =
        ByteBuffer.allocate(BUFFER_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private long position;
    private long chunks;

    Indexing(Sink sink) {
      this.sink = sink;
      out.putLong(HEAD_LENGTH).putLong(INDEX).putLong(FLAGS);
      out.putLong(Chunker.MIN).putLong(Chunker.AVERAGE).putLong(Chunker.MAX);
      out.putLong(-1).putLong(TABLE);
    }

    @Override
    public void update(ByteBuffer bytes) throws StorageException {
      while (bytes.hasRemaining()) {
        int length = Math.min(BUFFER_LENGTH, bytes.remaining());
        bytes.get(window, Buzhash.WINDOW, length);
        cut(Buzhash.WINDOW + length);
        System.arraycopy(window, length, window, 0, Buzhash.WINDOW);
      }
    }

    @Override
    public void finish() throws StorageException {
      if (chunker.rest() > 0) {
        endChunk();
      }
      flushIfShort(TAIL_LENGTH);
      out.putLong(0).putLong(0).putLong(HEAD_LENGTH);
      out.putLong(TABLE_HEAD_LENGTH + ENTRY_LENGTH * chunks + TAIL_LENGTH).putLong(TABLE_TAIL);
      flush();
    }

    private void cut(int limit) throws StorageException {
      int from = Buzhash.WINDOW;
      while (from < limit) {
        int end = chunker.cut(window, from, limit);
        int next = end < 0 ? limit : end;
        id.update(window, from, next - from);
        position += next - from;
        from = next;
        if (end >= 0) {
          endChunk();
        }
      }
    }

    private void endChunk() throws StorageException {
      flushIfShort(ENTRY_LENGTH);
      out.putLong(position).put(id.digest());
      chunks++;
    }

    private void flushIfShort(int length) throws StorageException {
      if (out.remaining() < length) {
        flush();
      }
    }

    private void flush() throws StorageException {
      sink.write(out.flip());
      out.clear();
    }
  }
}
