package io.artifactserver.storage.remote.checked;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads whole blocks, and delivers no byte of one before its checksum is compared. Blocks that the
 * caller has room for are read where he wants them; of others one at a time is kept. Used by one
 * thread at a time.
 */
final class CheckedRangeReader implements RangeReader {
  private static final Logger LOG = LoggerFactory.getLogger(CheckedRangeReader.class);

  private final Blob blob;
  private final ByteRange range;
  private final ByteRange covering;
  private final byte[] checksums;
  private final String storeName;
  private RangeReader source;
  private @Nullable ByteBuffer kept;
  private long position;
  private boolean isClosed;

  /**
   * @param source of the blocks that cover the range; taken over
   */
  CheckedRangeReader(
      Blob blob, ByteRange range, byte[] checksums, RangeReader source, String storeName) {
    this.blob = blob;
    this.range = range;
    this.covering = Blocks.covering(range, blob.length());
    this.checksums = checksums;
    this.source = source;
    this.storeName = storeName;
    this.position = range.position();
  }

  @Override
  public int read(ByteBuffer target) throws StorageException {
    if (isClosed) {
      throw new IllegalStateException("The reader is closed");
    }
    if (position == range.end()) {
      return -1;
    }
    int total = 0;
    while (target.hasRemaining() && position < range.end()) {
      ByteBuffer block = kept;
      if (block == null) {
        long start = Blocks.startOf(position);
        int length = Blocks.lengthAt(start, blob.length());
        if (start == position && start + length <= range.end() && length <= target.remaining()) {
          fill(start, target.slice(target.position(), length));
          target.position(target.position() + length);
          position += length;
          total += length;
          continue;
        }
        if (total > 0) {
          break;
        }
        block = ByteBuffer.allocate(length);
        fill(start, block);
        block.position((int) (position - start));
        block.limit((int) Math.min(length, range.end() - start));
      }
      int length = Math.min(target.remaining(), block.remaining());
      target.put(block.slice(block.position(), length));
      block.position(block.position() + length);
      kept = block.hasRemaining() ? block : null;
      position += length;
      total += length;
    }
    return total;
  }

  @Override
  public Wait waitToRead(int length) {
    return kept != null && kept.remaining() >= length
        ? Wait.NONE
        : source.waitToRead((int) Math.min(Integer.MAX_VALUE, length + (long) Blocks.LENGTH));
  }

  @Override
  public void rest() {
    source.rest();
  }

  @Override
  public boolean isOpen() {
    return !isClosed;
  }

  @Override
  public void close() {
    isClosed = true;
    kept = null;
    source.close();
  }

  /**
   * Fills the buffer with the block; the source has it next.
   *
   * @param block with room for the block and for nothing else
   */
  private void fill(long start, ByteBuffer block) throws StorageException {
    receive(start, block);
    if (Blocks.isRight(checksums, start, block)) {
      return;
    }
    LOG.warn(
        "Bytes {} to {} of blob {} came from the {} store with a wrong checksum, and are fetched"
            + " once more",
        start,
        start + block.remaining(),
        blob.ref().key(),
        storeName);
    source.close();
    source = blob.open(new ByteRange(start, covering.end() - start));
    receive(start, block);
    if (!Blocks.isRight(checksums, start, block)) {
      throw new StorageException.BlobCorrupt(
          storeName,
          blob.ref(),
          "bytes %d to %d do not have their checksum".formatted(start, start + block.remaining()),
          null);
    }
  }

  private void receive(long start, ByteBuffer block) throws StorageException {
    block.clear();
    while (block.hasRemaining()) {
      if (source.read(block) < 0) {
        throw new StorageException.StorageUnavailable(
            storeName,
            "blob %s ended within the block at %d".formatted(blob.ref().key(), start),
            null);
      }
    }
    block.flip();
  }
}
