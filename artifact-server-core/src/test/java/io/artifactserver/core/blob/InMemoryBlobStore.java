package io.artifactserver.core.blob;

import io.artifactserver.core.range.ByteRange;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Keeps blobs on the heap, for tests. Thread-safe; bounded by nothing but the heap. */
public final class InMemoryBlobStore implements BlobStore {
  private final Map<String, StoredBytes> blobs = new ConcurrentHashMap<>();
  private final Map<String, Instant> uploads = new ConcurrentHashMap<>();
  private final Map<String, Kept> kept = new ConcurrentHashMap<>();
  private final InstantSource clock;
  private final boolean marksEncrypted;

  /** A store by the system's clock. */
  public InMemoryBlobStore() {
    this(InstantSource.system());
  }

  /**
   * @param clock tells when a blob was stored
   */
  public InMemoryBlobStore(InstantSource clock) {
    this(clock, false);
  }

  private InMemoryBlobStore(InstantSource clock, boolean marksEncrypted) {
    this.clock = clock;
    this.marksEncrypted = marksEncrypted;
  }

  /**
   * A store that stands for one of encrypted blobs: it says that they are, and keeps them plain.
   */
  public static InMemoryBlobStore markingEncrypted() {
    return new InMemoryBlobStore(InstantSource.system(), true);
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public boolean isExclusive() {
    return true;
  }

  @Override
  public Blob blob(BlobRef ref) {
    return new InMemoryBlob(ref);
  }

  @Override
  public BlobUpload begin(String key) {
    return new InMemoryUpload(BlobRef.requireKey(key), new byte[0]);
  }

  @Override
  public BlobUpload resume(UploadCheckpoint checkpoint) throws StorageException {
    Kept bytes = kept.get(checkpoint.key());
    if (bytes == null || bytes.bytes().length < checkpoint.length()) {
      throw new StorageException.BlobNotFound(name(), checkpoint.ref(), null);
    }
    return new InMemoryUpload(
        checkpoint.key(), Arrays.copyOf(bytes.bytes(), (int) checkpoint.length()));
  }

  @Override
  public void discard(UploadCheckpoint checkpoint) {
    kept.remove(checkpoint.key());
  }

  @Override
  public void delete(BlobRef ref) {
    blobs.remove(ref.key());
  }

  @Override
  public Stream<StoredBlob> list() {
    return blobs.entrySet().stream()
        .map(entry ->
            new StoredBlob(
                new BlobRef(entry.getKey(), entry.getValue().bytes().remaining(), marksEncrypted),
                entry.getValue().storedAt()));
  }

  /** An upload here leaves nothing behind, so only ones that nobody closed are removed. */
  @Override
  public int removeAbandonedUploads(Instant begunBefore, Set<String> resumable) {
    int before = uploads.size() + kept.size();
    uploads
        .entrySet()
        .removeIf(upload ->
            upload.getValue().isBefore(begunBefore) && !resumable.contains(upload.getKey()));
    kept.entrySet()
        .removeIf(upload ->
            upload.getValue().keptAt().isBefore(begunBefore)
                && !uploads.containsKey(upload.getKey())
                && !resumable.contains(upload.getKey()));
    return before - uploads.size() - kept.size();
  }

  @Override
  public void check() {}

  /** How many uploads are begun and not closed. */
  public int openUploads() {
    return uploads.size();
  }

  /** How many uploads have a checkpoint that can be resumed. */
  public int keptUploads() {
    return kept.size();
  }

  /** The stored bytes of a committed blob. */
  public byte[] bytes(String key) {
    ByteBuffer stored = Objects.requireNonNull(blobs.get(key), key).bytes().duplicate();
    byte[] bytes = new byte[stored.remaining()];
    stored.get(bytes);
    return bytes;
  }

  /** Does to a committed blob what a disk or an attacker may do. */
  public void replace(String key, byte[] bytes) {
    blobs.put(key, new StoredBytes(ByteBuffer.wrap(bytes).asReadOnlyBuffer(), clock.instant()));
  }

  @SuppressWarnings("ArrayRecordComponent") // Never compared.
  private record Kept(byte[] bytes, Instant keptAt) {}

  private record StoredBytes(ByteBuffer bytes, Instant storedAt) {}

  private final class InMemoryBlob implements Blob {
    private final BlobRef ref;

    InMemoryBlob(BlobRef ref) {
      this.ref = ref;
    }

    @Override
    public BlobRef ref() {
      return ref;
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      return new BytesReader(bytes(range));
    }

    @Override
    public Wait waitToOpen() {
      return Wait.NONE;
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
      return Optional.of(new InMemoryRegion(bytes(range)));
    }

    private ByteBuffer bytes(ByteRange range) throws StorageException {
      range.requireWithin(ref.length());
      StoredBytes stored = blobs.get(ref.key());
      if (stored == null) {
        throw new StorageException.BlobNotFound(name(), ref, null);
      }
      if (stored.bytes().remaining() != ref.length()) {
        throw new StorageException.BlobCorrupt(
            name(),
            ref,
            "%d bytes, not %d".formatted(stored.bytes().remaining(), ref.length()),
            null);
      }
      return stored.bytes().slice((int) range.position(), (int) range.length());
    }
  }

  private static final class InMemoryRegion implements FileRegion {
    private final ByteBuffer bytes;
    private volatile boolean open = true;

    InMemoryRegion(ByteBuffer bytes) {
      this.bytes = bytes;
    }

    @Override
    public long length() {
      return bytes.remaining();
    }

    @Override
    public ByteBuffer slice(long offset, int length) {
      require(offset, length);
      return bytes.slice((int) offset, length);
    }

    @Override
    public boolean isResident(long offset, int length) {
      require(offset, length);
      return true;
    }

    @Override
    public void load(long offset, int length) {
      require(offset, length);
    }

    @Override
    public void close() {
      open = false;
    }

    private void require(long offset, int length) {
      if (!open) {
        throw new IllegalStateException("The region is closed");
      }
      Objects.checkFromIndexSize(offset, length, length());
    }
  }

  private final class InMemoryUpload implements BlobUpload {
    private final String key;
    private @Nullable ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    InMemoryUpload(String key, byte[] begin) {
      this.key = key;
      requireOpen().writeBytes(begin);
      uploads.put(key, clock.instant());
    }

    @Override
    public String key() {
      return key;
    }

    @Override
    public void write(ByteBuffer source) {
      ByteArrayOutputStream target = requireOpen();
      byte[] copy = new byte[source.remaining()];
      source.get(copy);
      target.writeBytes(copy);
    }

    @Override
    public BlobRef commit() throws StorageException {
      byte[] content = requireOpen().toByteArray();
      StoredBytes stored =
          new StoredBytes(ByteBuffer.wrap(content).asReadOnlyBuffer(), clock.instant());
      if (blobs.putIfAbsent(key, stored) != null) {
        throw new StorageException.StorageUnavailable(
            name(), "there is a blob " + key + " already", null);
      }
      close();
      return new BlobRef(key, content.length, marksEncrypted);
    }

    @Override
    public byte[] checkpoint() {
      kept.put(key, new Kept(requireOpen().toByteArray(), clock.instant()));
      return new byte[0];
    }

    @Override
    public void force() {}

    @Override
    public void leave() {
      bytes = null;
      uploads.remove(key);
    }

    @Override
    public void close() {
      if (bytes != null) {
        kept.remove(key);
      }
      leave();
    }

    private ByteArrayOutputStream requireOpen() {
      if (bytes == null) {
        throw new IllegalStateException("The upload is committed or closed");
      }
      return bytes;
    }
  }
}
