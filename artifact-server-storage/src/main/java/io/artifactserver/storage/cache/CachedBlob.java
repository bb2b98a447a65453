package io.artifactserver.storage.cache;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import java.net.URI;
import java.util.Optional;

/** A blob, read through the cache; thread-safe. */
final class CachedBlob implements Blob {
  private final BlobRef ref;
  private final CachingBlobStore store;

  CachedBlob(BlobRef ref, CachingBlobStore store) {
    this.ref = ref;
    this.store = store;
  }

  @Override
  public BlobRef ref() {
    return ref;
  }

  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    range.requireWithin(ref.length());
    return store.open(ref, range);
  }

  /** Of the remote store: what a client fetches there passes the cache by. */
  @Override
  public Optional<URI> temporaryAddress(String mediaType, String contentDisposition)
      throws StorageException {
    return store.remoteBlob(ref).temporaryAddress(mediaType, contentDisposition);
  }

  @Override
  public Wait waitToOpen() {
    return store.waitToOpen(ref);
  }

  /** Present once all of the blob is cached. Never asks the remote store. */
  @Override
  public Optional<FileRegion> fileRegion(ByteRange range) {
    range.requireWithin(ref.length());
    return store.fileRegion(ref, range);
  }
}
