package io.artifactserver.storage.local.file;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappableFile;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/** A blob in its file; thread-safe. */
record FileBlob(BlobRef ref, FileBlobStore store, MappedFiles mappedFiles)
    implements Blob, MappableFile {
  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    range.requireWithin(ref.length());
    return new FileRangeReader(ref, range, openForMapping(), store.errors());
  }

  @Override
  public Wait waitToOpen() {
    return mappedFiles.isMapped(ref.key()) ? Wait.NONE : Wait.DISK;
  }

  @Override
  public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
    range.requireWithin(ref.length());
    return store.mapsFiles()
        ? Optional.of(mappedFiles.region(ref.key(), range, this))
        : Optional.empty();
  }

  @Override
  public FileChannel openForMapping() throws StorageException {
    Path path = store.path(ref.key());
    try {
      FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
      try {
        requireLength(channel.size());
        return channel;
      } catch (IOException e) {
        channel.close();
        throw e;
      }
    } catch (StorageException e) {
      throw e;
    } catch (IOException e) {
      throw store.errors().ofBlob(ref, "open", e);
    }
  }

  @Override
  public StorageException unavailable(IOException cause) {
    return store.errors().ofBlob(ref, "map", cause);
  }

  private void requireLength(long actual) throws StorageException {
    if (actual != ref.length()) {
      throw new StorageException.BlobCorrupt(
          FileBlobStore.NAME,
          ref,
          "its file has %d bytes, not %d".formatted(actual, ref.length()),
          null);
    }
  }
}
