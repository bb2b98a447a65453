package io.artifactserver.storage.remote.checked;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.nio.ByteBuffer;

/** Records checksums on the way to the remote store. Used by one thread. */
final class CheckedUpload implements BlobUpload {
  private final BlobUpload upload;
  private final KnownChecksums checksums;
  private final String storeName;
  private final Blocks.Summing summing = new Blocks.Summing();

  /** Takes over the upload. */
  CheckedUpload(BlobUpload upload, KnownChecksums checksums, String storeName) {
    this.upload = upload;
    this.checksums = checksums;
    this.storeName = storeName;
  }

  @Override
  public String key() {
    return upload.key();
  }

  @Override
  public void write(ByteBuffer bytes) throws StorageException {
    ByteBuffer same = bytes.duplicate();
    upload.write(bytes);
    summing.add(same);
  }

  /** The blob goes first: a commit that fails must not touch the checksums of another one. */
  @Override
  public BlobRef commit() throws StorageException {
    BlobRef ref = upload.commit();
    try {
      checksums.put(key(), summing.finish());
    } catch (CatalogUnavailableException e) {
      // Nobody learns of the blob, so it is an orphan now, and the sweeper's.
      throw CheckedBlobStore.unavailable(storeName, e);
    }
    return ref;
  }

  @Override
  public void close() {
    upload.close();
  }
}
