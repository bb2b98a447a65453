package io.artifactserver.benchmarks.planted;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A store that is as good as another one, but for what a fault makes of its blobs. */
final class PlantedBlobStore implements BlobStore {
  /** The fault. */
  enum Fault {
    /** Reads and discards all that comes before a range. */
    SKIPS,
    /** Makes a buffer for each range, and copies through it. */
    ALLOCATES
  }

  private static final int BUFFER_LENGTH = 64 * 1024;

  private final BlobStore store;
  private final Fault fault;

  PlantedBlobStore(BlobStore store, Fault fault) {
    this.store = store;
    this.fault = fault;
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new PlantedBlob(store.blob(ref), fault);
  }

  @Override
  public BlobUpload begin(String key) throws StorageException {
    return store.begin(key);
  }

  @Override
  public BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException {
    return store.resume(checkpoint);
  }

  @Override
  public void discard(UploadCheckpoint checkpoint) {
    store.discard(checkpoint);
  }

  @Override
  public void delete(BlobRef ref) throws StorageException {
    store.delete(ref);
  }

  @Override
  public Stream<StoredBlob> list() throws StorageException {
    return store.list();
  }

  @Override
  public int removeAbandonedUploads(Instant begunBefore, Set<String> resumable)
      throws StorageException {
    return store.removeAbandonedUploads(begunBefore, resumable);
  }

  @Override
  public void check() throws StorageException {
    store.check();
  }

  private record PlantedBlob(Blob blob, Fault fault) implements Blob {
    @Override
    public BlobRef ref() {
      return blob.ref();
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      return switch (fault) {
        case SKIPS -> {
          discard(range.position());
          yield blob.open(range);
        }
        case ALLOCATES -> new AllocatingReader(blob.open(range));
      };
    }

    @Override
    public Wait waitToOpen() {
      return blob.waitToOpen();
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
      Optional<FileRegion> region = blob.fileRegion(range);
      return switch (fault) {
        case SKIPS -> {
          discard(range.position());
          yield region;
        }
        case ALLOCATES -> region.map(AllocatingRegion::new);
      };
    }

    private void discard(long length) throws StorageException {
      ByteBuffer discarded = ByteBuffer.allocateDirect(BUFFER_LENGTH);
      try (RangeReader reader = blob.open(new ByteRange(0, length))) {
        while (reader.read(discarded) >= 0) {
          discarded.clear();
        }
      }
    }
  }

  private static final class AllocatingReader implements RangeReader {
    private final RangeReader reader;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_LENGTH);

    AllocatingReader(RangeReader reader) {
      this.reader = reader;
    }

    @Override
    public int read(ByteBuffer target) throws StorageException {
      buffer.clear().limit(Math.min(buffer.capacity(), target.remaining()));
      int n = reader.read(buffer);
      target.put(buffer.flip());
      return n;
    }

    @Override
    public Wait waitToRead(int length) {
      return reader.waitToRead(length);
    }

    @Override
    public boolean isOpen() {
      return reader.isOpen();
    }

    @Override
    public void close() {
      reader.close();
    }
  }

  private record AllocatingRegion(FileRegion region) implements FileRegion {
    @Override
    public long length() {
      return region.length();
    }

    @Override
    public ByteBuffer slice(long offset, int length) {
      return ByteBuffer.allocate(length).put(region.slice(offset, length)).flip();
    }

    @Override
    public boolean isResident(long offset, int length) {
      return region.isResident(offset, length);
    }

    @Override
    public void load(long offset, int length) {
      region.load(offset, length);
    }

    @Override
    public void close() {
      region.close();
    }
  }
}
