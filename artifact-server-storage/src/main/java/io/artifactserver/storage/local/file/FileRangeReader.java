package io.artifactserver.storage.local.file;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Reads a range at positions of its file; used by one thread. */
final class FileRangeReader implements RangeReader {
  private final BlobRef ref;
  private final ByteRange range;
  private final FileChannel channel;
  private final FileErrors errors;
  private long position;
  private boolean closed;

  /** Takes over the channel. */
  FileRangeReader(BlobRef ref, ByteRange range, FileChannel channel, FileErrors errors) {
    this.ref = ref;
    this.range = range;
    this.channel = channel;
    this.errors = errors;
    this.position = range.position();
  }

  @Override
  public int read(ByteBuffer target) throws StorageException {
    // Not the channel's own state: an interrupt closes it too, and that is a failed read.
    if (closed) {
      throw new IllegalStateException("The reader is closed");
    }
    if (position == range.end()) {
      return -1;
    }
    int limit = target.limit();
    target.limit(target.position() + (int) Math.min(target.remaining(), range.end() - position));
    try {
      int length = channel.read(target, position);
      if (length < 0) {
        throw new StorageException.BlobCorrupt(
            FileBlobStore.NAME,
            ref,
            "its file ends at byte %d, before the end of %s".formatted(position, range),
            null);
      }
      position += length;
      return length;
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw errors.ofBlob(ref, "read byte %d of %s of".formatted(position, range), e);
    } finally {
      target.limit(limit);
    }
  }

  /** Nobody tells what a read would find in the page cache. */
  @Override
  public Wait waitToRead(int length) {
    return Wait.DISK;
  }

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    closed = true;
    try {
      channel.close();
    } catch (IOException _) {
      // Nothing was written: the bytes that were delivered are right whatever happens here.
    }
  }
}
