package io.artifactserver.core.blob;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;

/** Data keys on the heap, for tests; knows no catalog, so nothing is an orphan. Thread-safe. */
public final class InMemoryDataKeyStore implements DataKeyStore {
  private final ConcurrentSkipListMap<String, WrappedDataKey> keys = new ConcurrentSkipListMap<>();

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
    return keys.tailMap(after, false).values().stream()
        .filter(key -> key.ringKeyId() != ringKeyId)
        .limit(limit)
        .toList();
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
    return keys.values().stream()
        .collect(Collectors.groupingBy(WrappedDataKey::ringKeyId, Collectors.counting()));
  }

  /** Every blob key that has a data key. */
  public Set<String> blobKeys() {
    return Set.copyOf(keys.keySet());
  }
}
