package io.artifactserver.storage.catalog.artifact;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.storage.catalog.CatalogTransactions;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The blobs' rows in PostgreSQL. Immutable, thread-safe. */
public record JdbcBlobRegister(
    CatalogTransactions transactions, BlobRows blobs, DerivedRows derived, InstantSource clock)
    implements BlobRegister {
  @Override
  public List<BlobRef> retiredBefore(Instant instant, int limit) {
    return transactions.read(
        () -> blobs.retiredBefore(instant, limit).stream().map(BlobRow::ref).toList());
  }

  @Override
  public boolean forget(BlobRef blob, Instant instant) {
    return transactions.write(_ -> {
      Optional<BlobRow> row =
          blobs.lock(blob.key()).filter(locked -> locked.isRetiredBefore(instant));
      return row.isPresent() && blobs.deleteUnused(row.get().id()) == 1;
    });
  }

  @Override
  public Set<String> known(Collection<String> keys) {
    return keys.isEmpty() ? Set.of() : Set.copyOf(transactions.read(() -> blobs.known(keys)));
  }

  @Override
  public List<BlobRef> derivedFrom(BlobRef blob) {
    return transactions.read(() -> derived.stored(blob.key()));
  }

  @Override
  public Optional<BlobRef> find(Digest sha256, boolean encrypted) {
    return transactions.read(() -> blobs.find(sha256, encrypted).map(BlobRow::ref));
  }

  @Override
  public boolean suspect(BlobRef blob) {
    return transactions.write(
        _ -> blobs.suspect(blob.key(), clock.instant().truncatedTo(ChronoUnit.MICROS)) == 1);
  }

  @Override
  public void clear(BlobRef blob) {
    transactions.write(_ -> blobs.clear(blob.key()));
  }

  @Override
  public List<Suspect> suspectsAfter(String after, int limit) {
    return transactions.read(() ->
        blobs.suspectsAfter(after, limit).stream()
            .map(row -> new Suspect(row.ref(), row.sha256()))
            .toList());
  }

  @Override
  public Set<String> suspects(Collection<String> keys) {
    return keys.isEmpty() ? Set.of() : Set.copyOf(transactions.read(() -> blobs.suspects(keys)));
  }

  @Override
  public long suspectCount() {
    return transactions.read(blobs::suspectCount);
  }

  @Override
  public Instant now() {
    return transactions.read(blobs::now);
  }

  @Override
  public long storedBytes() {
    return transactions.read(blobs::storedBytes);
  }
}
