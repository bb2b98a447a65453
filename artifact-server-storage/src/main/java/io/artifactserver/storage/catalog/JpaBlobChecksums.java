package io.artifactserver.storage.catalog;

import io.artifactserver.core.blob.BlobChecksums;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** The checksums in PostgreSQL. Immutable, thread-safe. */
final class JpaBlobChecksums implements BlobChecksums {
  private final CatalogTransactions transactions;
  private final BlobChecksumRows rows;
  private final BlobRows blobs;

  JpaBlobChecksums(CatalogTransactions transactions, BlobChecksumRows rows, BlobRows blobs) {
    this.transactions = transactions;
    this.rows = rows;
    this.blobs = blobs;
  }

  @Override
  public void put(String blobKey, byte[] checksums) {
    transactions.write(_ -> rows.put(blobKey, checksums));
  }

  @Override
  public Optional<byte[]> find(String blobKey) {
    return transactions.read(() -> rows.findByBlobKey(blobKey).map(BlobChecksumRow::crc32c));
  }

  @Override
  public List<Unchecked> missing(String after, int limit) {
    return transactions.read(() ->
        blobs.unchecked(after, limit).stream()
            .map(row -> new Unchecked(row.toBlobRef(), row.sha256()))
            .toList());
  }

  @Override
  public void delete(String blobKey) {
    transactions.write(_ -> rows.delete(blobKey));
  }

  @Override
  public int deleteOrphans(Instant instant) {
    return transactions.write(_ -> rows.deleteOrphans(instant));
  }
}
