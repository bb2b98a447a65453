package io.artifactserver.storage.catalog;

import io.artifactserver.core.blob.DataKeyStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.springframework.data.domain.Limit;

/** The wrapped data keys in PostgreSQL. Immutable, thread-safe. */
final class JpaDataKeyStore implements DataKeyStore {
  private final CatalogTransactions transactions;
  private final DataKeyRows dataKeys;

  JpaDataKeyStore(CatalogTransactions transactions, DataKeyRows dataKeys) {
    this.transactions = transactions;
    this.dataKeys = dataKeys;
  }

  @Override
  public void put(WrappedDataKey dataKey) {
    transactions.write(
        _ -> dataKeys.insert(dataKey.blobKey(), dataKey.wrapped(), dataKey.ringKeyId()));
  }

  @Override
  public Optional<WrappedDataKey> find(String blobKey) {
    return transactions.read(
        () -> dataKeys.findByBlobKey(blobKey).map(DataKeyRow::toWrappedDataKey));
  }

  @Override
  public List<WrappedDataKey> notWrappedBy(long ringKeyId, String after, int limit) {
    return transactions.read(() ->
        dataKeys.notWrappedBy(ringKeyId, after, Limit.of(limit)).stream()
            .map(DataKeyRow::toWrappedDataKey)
            .toList());
  }

  @Override
  public boolean replace(WrappedDataKey before, WrappedDataKey after) {
    return transactions.write(_ ->
        dataKeys.replace(before.blobKey(), before.wrapped(), after.wrapped(), after.ringKeyId()))
        == 1;
  }

  @Override
  public void delete(String blobKey) {
    transactions.write(_ -> dataKeys.delete(blobKey));
  }

  @Override
  public int deleteOrphans(Instant instant) {
    return transactions.write(_ -> dataKeys.deleteOrphans(instant));
  }

  @Override
  public Map<Long, Long> countByRingKey() {
    return transactions.read(() ->
        dataKeys.countByRingKey().stream()
            .collect(Collectors.toMap(row -> (Long) row[0], row -> (Long) row[1])));
  }
}
