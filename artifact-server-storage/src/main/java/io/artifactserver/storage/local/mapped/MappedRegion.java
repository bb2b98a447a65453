package io.artifactserver.storage.local.mapped;

import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** A lease of a part of a mapped file. */
final class MappedRegion implements FileRegion {
  private final MappedFiles files;
  private final MappedFile file;
  private final ByteRange range;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Takes over a lease of {@code file}. */
  MappedRegion(MappedFiles files, MappedFile file, ByteRange range) {
    this.files = files;
    this.file = file;
    this.range = range;
  }

  @Override
  public long length() {
    return range.length();
  }

  @Override
  public ByteBuffer slice(long offset, int length) {
    return segment(offset, length).asByteBuffer();
  }

  @Override
  public void requireWhole() throws StorageException {
    try {
      file.requireWhole();
    } catch (StorageException e) {
      // The next request opens the file again, and reports the damage.
      files.drop(file);
      throw e;
    }
  }

  @Override
  public boolean isResident(long offset, int length) {
    requireOpen(offset, length);
    return file.resident().contain(range.position() + offset, length);
  }

  @Override
  public void load(long offset, int length) {
    requireOpen(offset, length);
    file.load(range.position() + offset, length);
  }

  @Override
  public long transferTo(long offset, int length, WritableByteChannel target) throws IOException {
    requireOpen(offset, length);
    return file.transferTo(range.position() + offset, length, target);
  }

  @Override
  public void close() {
    // A second release would take the lease of another region.
    if (closed.compareAndSet(false, true)) {
      files.release(file);
    }
  }

  private MemorySegment segment(long offset, int length) {
    requireOpen(offset, length);
    return file.bytes().asSlice(range.position() + offset, length);
  }

  private void requireOpen(long offset, int length) {
    if (closed.get()) {
      throw new IllegalStateException("The region is closed");
    }
    Objects.checkFromIndexSize(offset, length, range.length());
  }
}
