package io.artifactserver.core.blob;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Hands every call on, for tests that come in between. As thread-safe as the other one. */
public class ForwardingDataKeyStore implements DataKeyStore {
  private final DataKeyStore store;

  /**
   * @param store does the work
   */
  public ForwardingDataKeyStore(DataKeyStore store) {
    this.store = store;
  }

  @Override
  public void put(WrappedDataKey dataKey) {
    store.put(dataKey);
  }

  @Override
  public Optional<WrappedDataKey> find(String blobKey) {
    return store.find(blobKey);
  }

  @Override
  public List<WrappedDataKey> notWrappedBy(long ringKeyId, String after, int limit) {
    return store.notWrappedBy(ringKeyId, after, limit);
  }

  @Override
  public boolean replace(WrappedDataKey before, WrappedDataKey after) {
    return store.replace(before, after);
  }

  @Override
  public void delete(String blobKey) {
    store.delete(blobKey);
  }

  @Override
  public int deleteOrphans(Instant instant) {
    return store.deleteOrphans(instant);
  }

  @Override
  public Map<Long, Long> countByRingKey() {
    return store.countByRingKey();
  }
}
