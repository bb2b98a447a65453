package io.artifactserver.core.blob;

import java.time.Instant;
import java.util.Set;
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
  public void forgetCopies(BlobRef ref) {
    store.forgetCopies(ref);
  }

  @Override
  public boolean isExclusive() {
    return store.isExclusive();
  }

  @Override
  public long uploadMemory() {
    return store.uploadMemory();
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
