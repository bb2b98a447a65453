package io.artifactserver.core.blob;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Checksums on the heap, for tests; knows no catalog, so nothing is an orphan. Thread-safe. */
public final class InMemoryBlobChecksums implements BlobChecksums {
  private final Map<String, byte[]> checksums = new ConcurrentHashMap<>();

  @Override
  public void put(String blobKey, byte[] bytes) {
    checksums.put(blobKey, bytes.clone());
  }

  @Override
  public Optional<byte[]> find(String blobKey) {
    return Optional.ofNullable(checksums.get(blobKey));
  }

  @Override
  public void delete(String blobKey) {
    checksums.remove(blobKey);
  }

  @Override
  public int deleteOrphans(Instant instant) {
    return 0;
  }
}
