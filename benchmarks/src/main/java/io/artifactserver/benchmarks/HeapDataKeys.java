package io.artifactserver.benchmarks;

import io.artifactserver.core.blob.DataKeyStore;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Data keys without a database. Thread-safe. */
final class HeapDataKeys implements DataKeyStore {
  private final Map<String, WrappedDataKey> keys = new ConcurrentHashMap<>();

  @Override
  public void put(WrappedDataKey dataKey) {
    keys.put(dataKey.blobKey(), dataKey);
  }

  @Override
  public Optional<WrappedDataKey> find(String blobKey) {
    return Optional.ofNullable(keys.get(blobKey));
  }

  @Override
  public List<WrappedDataKey> notWrappedBy(long ringKeyId, String after, int limit) {
    return List.of();
  }

  @Override
  public boolean replace(WrappedDataKey before, WrappedDataKey after) {
    return keys.replace(before.blobKey(), before, after);
  }

  @Override
  public void delete(String blobKey) {
    keys.remove(blobKey);
  }

  @Override
  public int deleteOrphans(Instant instant) {
    return 0;
  }

  @Override
  public Map<Long, Long> countByRingKey() {
    return Map.of();
  }
}
