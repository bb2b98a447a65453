package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;

/** A remote store that counts what is read from it, and can be slow, stuck or down. Thread-safe. */
final class RemoteFake extends ForwardingBlobStore {
  private final InMemoryBlobStore memory;
  private final List<ByteRange> opened = new CopyOnWriteArrayList<>();
  private final LongAdder bytes = new LongAdder();
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger mostOpen = new AtomicInteger();
  private volatile boolean down;
  private volatile Fault fault = _ -> {};

  RemoteFake() {
    this(new InMemoryBlobStore());
  }

  private RemoteFake(InMemoryBlobStore memory) {
    super(memory);
    this.memory = memory;
  }

  /** Every range that was opened, in order. */
  List<ByteRange> opened() {
    return opened;
  }

  long bytes() {
    return bytes.sum();
  }

  /** How many readers were open at the same time, at most. */
  int mostOpen() {
    return mostOpen.get();
  }

  /** How many readers are open. */
  int open() {
    return open.get();
  }

  void forget() {
    opened.clear();
    bytes.reset();
  }

  void down(boolean isDown) {
    down = isDown;
  }

  /** Asked before every read from now on; may block or throw. */
  void fault(Fault newFault) {
    fault = newFault;
  }

  InMemoryBlobStore memory() {
    return memory;
  }

  BlobRef store(byte[] content) {
    try (BlobUpload upload = memory.begin()) {
      upload.write(ByteBuffer.wrap(content));
      return upload.commit();
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String name() {
    return "remote";
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new FakeBlob(memory.blob(ref));
  }

  private void requireUp() throws StorageException {
    if (down) {
      throw new StorageException.StorageUnavailable(name(), "it is down", null);
    }
  }

  /** What goes wrong with a reader. */
  interface Fault {
    void before(ByteRange range) throws StorageException;
  }

  private final class FakeBlob implements Blob {
    private final Blob inner;

    FakeBlob(Blob inner) {
      this.inner = inner;
    }

    @Override
    public BlobRef ref() {
      return inner.ref();
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      requireUp();
      opened.add(range);
      RangeReader reader = inner.open(range);
      mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
      return new FakeReader(reader, range);
    }

    @Override
    public Optional<URI> temporaryAddress(String mediaType, String contentDisposition) {
      return Optional.of(URI.create("https://remote.example/" + ref().key()));
    }

    @Override
    public Wait waitToOpen() {
      return Wait.REMOTE;
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) {
      range.requireWithin(inner.length());
      return Optional.empty();
    }
  }

  private final class FakeReader implements RangeReader {
    private final RangeReader inner;
    private final ByteRange range;

    FakeReader(RangeReader inner, ByteRange range) {
      this.inner = inner;
      this.range = range;
    }

    @Override
    public int read(ByteBuffer target) throws StorageException {
      fault.before(range);
      requireUp();
      int length = inner.read(target);
      bytes.add(Math.max(0, length));
      return length;
    }

    @Override
    public Wait waitToRead(int length) {
      return Wait.REMOTE;
    }

    @Override
    public boolean isOpen() {
      return inner.isOpen();
    }

    @Override
    public void close() {
      if (inner.isOpen()) {
        inner.close();
        open.decrementAndGet();
      }
    }
  }
}
