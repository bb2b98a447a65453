package io.artifactserver.storage.remote.cache;

import static io.artifactserver.core.waiting.Eventually.eventually;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.blob.WaitProbe;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The contract by blobs that are cached whole before they are asked for. */
class WarmCacheContractTest extends BlobStoreContract {
  @TempDir private Path folder;
  private final InMemoryBlobStore memory = new InMemoryBlobStore();
  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private CachingBlobStore cache;

  @BeforeEach
  void openStore() throws StorageException {
    cache = CachingBlobStore.open(memory, folder, TestProperties.whole(), mappedFiles);
  }

  @AfterEach
  void closeStore() {
    cache.close();
    mappedFiles.close();
  }

  @Override
  protected BlobStore store() {
    return new WarmedStore(cache);
  }

  @Override
  protected long unit() {
    return TestProperties.PIECE_LENGTH;
  }

  @Test
  void servesWithoutTheRemoteStore() throws StorageException {
    BlobRef ref = store("bytes".getBytes(US_ASCII));
    Warm.up(cache, ref);
    memory.delete(ref);
    try (FileRegion region = cache.blob(ref).fileRegion(ByteRange.whole(5)).orElseThrow()) {
      assertThat(region.slice(0, 5)).isEqualTo(ByteBuffer.wrap("bytes".getBytes(US_ASCII)));
    }
  }

  /** To map it takes a file to be opened, and that is for a thread that may wait for the disk. */
  @Test
  void aCompleteBlobThatIsNotMappedYetWaitsForTheDisk() throws Exception {
    ByteRange range = ByteRange.whole(200_000);
    BlobRef ref = store(content((int) range.length(), 18));
    Warm.up(cache, ref);
    cache.close();
    try (MappedFiles nothingMapped = new MappedFiles(16, Duration.ofMinutes(5));
        CachingBlobStore restarted =
            CachingBlobStore.open(memory, folder, TestProperties.whole(), nothingMapped)) {
      // Finds out that the file has every piece.
      try (RangeReader reader = restarted.blob(ref).open(range)) {
        assertThat(reader.read(ByteBuffer.allocate(1))).isOne();
      }
      Blob blob = restarted.blob(ref);
      eventually("the restarted cache knows it", () -> blob.waitToOpen() != Wait.REMOTE);
      assertThat(blob.waitToOpen()).isEqualTo(Wait.DISK);
      WaitProbe.requireTruth(blob, range);
      assertThat(blob.waitToOpen()).isEqualTo(Wait.NONE);
      WaitProbe.requireTruth(blob, range);
    }
  }

  /** The empty blob is never cached, so its region is an empty one of no file. */
  private static final class EmptyRegion implements FileRegion {
    private boolean open = true;

    @Override
    public long length() {
      return 0;
    }

    @Override
    public ByteBuffer slice(long offset, int length) {
      return ByteBuffer.allocate(length).asReadOnlyBuffer();
    }

    @Override
    public boolean isResident(long offset, int length) {
      return open;
    }

    @Override
    public void load(long offset, int length) {}

    @Override
    public void close() {
      open = false;
    }
  }

  private static final class WarmedStore extends ForwardingBlobStore {
    private final BlobStore cache;

    WarmedStore(BlobStore cache) {
      super(cache);
      this.cache = cache;
    }

    @Override
    public Blob blob(BlobRef ref) {
      return new WarmedBlob(super.blob(ref), cache);
    }
  }

  private record WarmedBlob(Blob blob, BlobStore cache) implements Blob {
    @Override
    public BlobRef ref() {
      return blob.ref();
    }

    @Override
    public RangeReader open(ByteRange range) throws StorageException {
      if (!range.isEmpty() && range.end() <= blob.length()) {
        Warm.up(cache, blob.ref());
      }
      return blob.open(range);
    }

    /** The warming itself waits. */
    @Override
    public Wait waitToOpen() {
      return blob.waitToOpen();
    }

    @Override
    public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
      range.requireWithin(blob.length());
      Warm.up(cache, blob.ref());
      return blob.length() == 0 ? Optional.of(new EmptyRegion()) : blob.fileRegion(range);
    }
  }
}
