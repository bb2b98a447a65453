package io.artifactserver.core.derive;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;

/** Reads indexes and packs of chunks from where they are kept. Immutable, thread-safe. */
public record StoredChunks(BlobStores stores) {
  /**
   * Reads an index.
   *
   * @param ref of the form
   * @throws IllegalArgumentException if it is none
   * @throws StorageException if it cannot be read
   */
  public ChunkIndex index(DerivedForm.Chunked form, BlobRef ref) throws StorageException {
    return form.index(read(ref, ByteRange.whole(ref.length())));
  }

  /**
   * Reads where an index's compressed chunks are.
   *
   * @param ref of the form
   * @throws IllegalArgumentException if it is no pack, or one of other chunks
   * @throws StorageException if it cannot be read
   */
  public ChunkPack pack(DerivedForm.Packed form, BlobRef ref, ChunkIndex index)
      throws StorageException {
    int length = form.tableLength(index.count());
    long position = ref.length() - length;
    if (position < 0) {
      throw new IllegalArgumentException("A pack of " + ref.length() + " bytes");
    }
    ChunkPack pack = form.pack(read(ref, new ByteRange(position, length)));
    if (pack.length() != position) {
      throw new IllegalArgumentException(
          "A pack of %d bytes whose chunks have %d".formatted(position, pack.length()));
    }
    return pack;
  }

  private ByteBuffer read(BlobRef ref, ByteRange range) throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(range.length()));
    try (RangeReader reader = stores.blob(ref).open(range)) {
      while (reader.read(bytes) >= 0) {
        // Until it ends.
      }
    }
    return bytes.flip();
  }
}
