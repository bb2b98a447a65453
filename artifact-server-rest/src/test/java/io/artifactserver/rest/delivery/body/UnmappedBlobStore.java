package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A store whose blobs have to be read, a little at a time, and whose readers fail, or end, when
 * they come to a position. Counts readers. Thread-safe.
 */
public final class UnmappedBlobStore extends ForwardingBlobStore {
  /** The behaviour of a reader at the bad position. */
  public enum Fault {
    NONE,
    THROWS,
    ENDS_EARLY,
    BREAKS
  }

  private final Fault fault;
  private final long badPosition;
  private final int maxRead;
  private final AtomicInteger opened = new AtomicInteger();
  private final AtomicInteger closed = new AtomicInteger();
  private final Set<String> readingThreads = ConcurrentHashMap.newKeySet();
  private final Set<String> openingThreads = ConcurrentHashMap.newKeySet();
  private volatile Wait wait = Wait.REMOTE;

  /**
   * @param maxRead bytes of one read
   */
  public UnmappedBlobStore(BlobStore store, Fault fault, long badPosition, int maxRead) {
    super(store);
    this.fault = fault;
    this.badPosition = badPosition;
    this.maxRead = maxRead;
  }

  public int opened() {
    return opened.get();
  }

  public int closed() {
    return closed.get();
  }

  /** From now on what is read comes from a slow disk. */
  public void coolDown() {
    wait = Wait.DISK;
  }

  /** From now on everything is in memory. */
  public void warmUp() {
    wait = Wait.NONE;
  }

  public Set<String> readingThreads() {
    return Set.copyOf(readingThreads);
  }

  public Set<String> openingThreads() {
    return Set.copyOf(openingThreads);
  }

  @Override
  public Blob blob(BlobRef ref) {
    Blob blob = super.blob(ref);
    return new Blob() {
      @Override
      public BlobRef ref() {
        return ref;
      }

      @Override
      public RangeReader open(ByteRange range) throws StorageException {
        Reader reader = new Reader(ref, range.position(), blob.open(range));
        opened.incrementAndGet();
        openingThreads.add(Thread.currentThread().getName());
        return reader;
      }

      @Override
      public Wait waitToOpen() {
        return wait;
      }

      @Override
      public Optional<FileRegion> fileRegion(ByteRange range) {
        return Optional.empty();
      }
    };
  }

  private final class Reader implements RangeReader {
    private final BlobRef ref;
    private final RangeReader reader;
    private long position;
    private boolean isOpen = true;

    Reader(BlobRef ref, long position, RangeReader reader) {
      this.ref = ref;
      this.position = position;
      this.reader = reader;
    }

    @Override
    public Wait waitToRead(int length) {
      return wait;
    }

    @Override
    public int read(ByteBuffer target) throws StorageException {
      readingThreads.add(Thread.currentThread().getName());
      int length = Math.min(target.remaining(), maxRead);
      if (fault != Fault.NONE && position <= badPosition) {
        length = (int) Math.min(length, badPosition - position);
        if (length == 0) {
          return atBadPosition();
        }
      }
      int limit = target.limit();
      int read = reader.read(target.limit(target.position() + length));
      target.limit(limit);
      position += read;
      return read;
    }

    private int atBadPosition() throws StorageException {
      return switch (fault) {
        case THROWS ->
            throw new StorageException.BlobCorrupt(name(), ref, "as the test asks", null);
        case BREAKS -> throw new IllegalStateException("A bug, as the test asks");
        case ENDS_EARLY -> -1;
        case NONE -> throw new AssertionError();
      };
    }

    @Override
    public boolean isOpen() {
      return isOpen;
    }

    @Override
    public void close() {
      if (isOpen) {
        closed.incrementAndGet();
      }
      isOpen = false;
      reader.close();
    }
  }
}
