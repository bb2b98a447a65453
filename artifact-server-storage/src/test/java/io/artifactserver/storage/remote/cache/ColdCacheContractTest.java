package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.storage.local.mapped.MappedFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract by blobs that are not cached when they are asked for. */
class ColdCacheContractTest extends BlobStoreContract {
  @TempDir private Path folder;
  private Instant now = Instant.now();
  private final InMemoryBlobStore memory = new InMemoryBlobStore(() -> now);
  private final MappedFiles mappedFiles = new MappedFiles(16, Duration.ofMinutes(5));
  private CachingBlobStore store;

  @BeforeEach
  void openStore() throws StorageException {
    store = CachingBlobStore.open(memory, folder, TestProperties.whole(), mappedFiles);
  }

  @AfterEach
  void closeStore() {
    store.close();
    mappedFiles.close();
  }

  @Override
  protected BlobStore store() {
    return store;
  }

  @Override
  protected long unit() {
    return TestProperties.PIECE_LENGTH;
  }

  @Override
  protected boolean supportsFileRegions() {
    return false;
  }

  @Override
  protected boolean supportsAbandonedUploads() {
    return true;
  }

  @Override
  @SuppressWarnings("MustBeClosedChecker")
  protected void abandonUpload(Instant begunAt) throws IOException {
    Instant before = now;
    now = begunAt;
    memory.begin();
    now = before;
  }
}
