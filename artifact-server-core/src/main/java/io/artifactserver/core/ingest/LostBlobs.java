package io.artifactserver.core.ingest;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.BlobStores;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;

/**
 * Tells an upload which blobs it must not rely on: suspect ones, and those whose last byte cannot
 * be read from the backend, past every copy. The latter become suspect. Immutable, thread-safe.
 */
record LostBlobs(BlobRegister register, BlobStores stores) {
  /** Whether the blob is suspect, or becomes so now. */
  boolean isLost(BlobRef blob) throws StorageException {
    return !register.suspects(Set.of(blob.key())).isEmpty() || isMissing(blob);
  }

  /** Makes the blob that an upload is about to share suspect if it is missing. */
  void markIfMissing(Digest sha256, boolean encrypted) throws StorageException {
    Optional<BlobRef> known = register.find(sha256, encrypted);
    if (known.isPresent()) {
      var _ = isMissing(known.get());
    }
  }

  private boolean isMissing(BlobRef blob) throws StorageException {
    ByteRange last = blob.length() == 0 ? ByteRange.whole(0) : new ByteRange(blob.length() - 1, 1);
    BlobStore originals = stores.of(blob.encrypted()).originals();
    ByteBuffer buffer = ByteBuffer.allocate(1);
    try (RangeReader reader = originals.blob(blob).open(last)) {
      while (buffer.hasRemaining() && reader.read(buffer) >= 0) {}
      return false;
    } catch (StorageException.BlobLost _) {
      register.suspect(blob);
      return true;
    }
  }
}
