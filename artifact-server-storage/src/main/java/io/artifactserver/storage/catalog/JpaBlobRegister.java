package io.artifactserver.storage.catalog;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.BlobRegister;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.data.domain.Limit;

/** The blobs' rows in PostgreSQL. Immutable, thread-safe. */
final class JpaBlobRegister implements BlobRegister {
  private final CatalogTransactions transactions;
  private final BlobRows blobs;

  JpaBlobRegister(CatalogTransactions transactions, BlobRows blobs) {
    this.transactions = transactions;
    this.blobs = blobs;
  }

  @Override
  public List<BlobRef> retiredBefore(Instant instant, int limit) {
    return transactions.read(() ->
        blobs.retiredBefore(instant, Limit.of(limit)).stream().map(BlobRow::toBlobRef).toList());
  }

  @Override
  public boolean forget(BlobRef blob) {
    return transactions.write(_ -> {
      Optional<BlobRow> row = blobs.lock(blob.key()).filter(BlobRow::retired);
      return row.isPresent() && blobs.deleteUnused(row.get().id()) == 1;
    });
  }

  @Override
  public Set<String> known(Collection<String> keys) {
    return keys.isEmpty() ? Set.of() : Set.copyOf(transactions.read(() -> blobs.known(keys)));
  }

  @Override
  public long storedBytes() {
    return transactions.read(blobs::storedBytes);
  }
}
