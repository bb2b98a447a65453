package io.artifactserver.core.blob;

import java.time.Instant;
import java.util.stream.Stream;

/** Hands every call on, for tests that come in between. As thread-safe as the other one. */
public class ForwardingBlobStore implements BlobStore {
  private final BlobStore store;

  /**
   * @param store does the work
   */
  public ForwardingBlobStore(BlobStore store) {
    this.store = store;
  }

  @Override
  public String name() {
    return store.name();
  }

  @Override
  public Blob blob(BlobRef ref) {
    return store.blob(ref);
  }

  @Override
  public BlobUpload begin(String key) throws StorageException {
    return store.begin(key);
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
  public int removeAbandonedUploads(Instant begunBefore) throws StorageException {
    return store.removeAbandonedUploads(begunBefore);
  }

  @Override
  public void forgetCopies(BlobRef ref) {
    store.forgetCopies(ref);
  }

  @Override
  public boolean isExclusive() {
    return store.isExclusive();
  }

  @Override
  public boolean hasRoom() {
    return store.hasRoom();
  }

  @Override
  public void check() throws StorageException {
    store.check();
  }
}
