package io.artifactserver.storage.remote.checked;

import io.artifactserver.core.blob.Blob;
import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.FileRegion;
import io.artifactserver.core.blob.RangeReader;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.range.ByteRange;
import java.net.URI;
import java.util.Optional;

/** A blob of a remote store, read in whole blocks; thread-safe. */
record CheckedBlob(Blob blob, KnownChecksums checksums, String storeName) implements Blob {
  @Override
  public BlobRef ref() {
    return blob.ref();
  }

  @Override
  public int pieceLength() {
    return Math.max(blob.pieceLength(), Blocks.LENGTH);
  }

  @Override
  public RangeReader open(ByteRange range) throws StorageException {
    range.requireWithin(length());
    Optional<byte[]> known = known();
    return known.isEmpty()
        ? blob.open(range)
        : checked(range, known.get(), blob.open(Blocks.covering(range, length())));
  }

  @Override
  public Optional<URI> temporaryAddress(String mediaType, String contentDisposition)
      throws StorageException {
    return blob.temporaryAddress(mediaType, contentDisposition);
  }

  /** The checksums may have to come from the database. */
  @Override
  public Wait waitToOpen() {
    return blob.waitToOpen().and(Wait.REMOTE);
  }

  @Override
  public Optional<FileRegion> fileRegion(ByteRange range) throws StorageException {
    return blob.fileRegion(range);
  }

  private Optional<byte[]> known() throws StorageException {
    Optional<byte[]> known;
    try {
      known = checksums.find(ref().key());
    } catch (CatalogUnavailableException e) {
      throw CheckedBlobStore.unavailable(storeName, e);
    }
    if (known.isPresent() && !Blocks.fit(known.get(), length())) {
      throw new StorageException.BlobCorrupt(
          storeName, ref(), "its checksums are those of another length", null);
    }
    return known;
  }

  private RangeReader checked(ByteRange range, byte[] known, RangeReader covering) {
    return new CheckedRangeReader(blob, range, known, covering, storeName);
  }
}
