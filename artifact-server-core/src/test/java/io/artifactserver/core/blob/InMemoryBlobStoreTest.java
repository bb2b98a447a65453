package io.artifactserver.core.blob;

import java.time.Instant;

class InMemoryBlobStoreTest extends BlobStoreContract {
  private Instant now = Instant.now();
  private final InMemoryBlobStore store = new InMemoryBlobStore(() -> now);

  @Override
  protected BlobStore store() {
    return store;
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
    store.begin();
    now = before;
  }
}
