package io.artifactserver.storage.encrypted;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStoreContract;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.InMemoryDataKeyStore;
import io.artifactserver.core.blob.StorageException;
import java.time.Instant;

class EncryptedMemoryBlobStoreTest extends BlobStoreContract {
  private static final int SEGMENT_LENGTH = 4096;

  private Instant now = Instant.now();
  private final InMemoryBlobStore memory = new InMemoryBlobStore(() -> now);
  private final EncryptedBlobStore store =
      new EncryptedBlobStore(
          memory, new InMemoryDataKeyStore(), KeyRing.ephemeral(), SEGMENT_LENGTH);

  @Override
  protected BlobStore store() {
    return store;
  }

  @Override
  protected long unit() {
    return SEGMENT_LENGTH;
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
  protected void abandonUpload(Instant begunAt) throws StorageException {
    Instant before = now;
    now = begunAt;
    memory.begin();
    now = before;
  }
}
