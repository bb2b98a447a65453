package io.artifactserver.storage.remote.s3;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.storage.remote.window.ChunkWindow;
import java.net.URI;
import java.util.Optional;
import software.amazon.awssdk.core.exception.SdkException;

/** An object; immutable, thread-safe. */
record S3Blob(BlobRef ref, S3Bucket bucket, EntityTags tags, ChunkWindow window) implements Blob {
  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    range.requireWithin(ref.length());
    ObjectFetch fetch = new ObjectFetch(ref, bucket, tags);
    if (range.isEmpty()) {
      // There is no range of no bytes to ask for, and whether there is a blob must show.
      fetch.requireObject();
    }
    return window.open(range, fetch);
  }

  @Override
  public Wait waitToOpen() {
    return Wait.REMOTE;
  }

  @Override
  public Optional<FileRegion> fileRegion(ByteRange range) {
    range.requireWithin(ref.length());
    return Optional.empty();
  }

  @Override
  public Optional<URI> temporaryAddress(String mediaType, String contentDisposition)
      throws StorageException {
    try {
      return Optional.of(bucket.sign(ref, mediaType, contentDisposition));
    } catch (SdkException e) {
      throw bucket.errors().ofBlob(ref, "sign an address of", e);
    }
  }
}
