package io.artifactserver.core.blob;

import io.artifactserver.core.digest.Digest;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Checksums on the heap, for tests; of the catalog's blobs it knows what it is told, and nothing is
 * an orphan. Thread-safe.
 */
public final class InMemoryBlobChecksums implements BlobChecksums {
  private final Map<String, byte[]> checksums = new ConcurrentHashMap<>();
  private final List<Unchecked> catalog = new CopyOnWriteArrayList<>();

  @Override
  public void put(String blobKey, byte[] bytes) {
    checksums.put(blobKey, bytes.clone());
  }

  @Override
  public Optional<byte[]> find(String blobKey) {
    return Optional.ofNullable(checksums.get(blobKey));
  }

  @Override
  public List<Unchecked> missing(String after, int limit) {
    return catalog.stream()
        .filter(each -> each.blob().key().compareTo(after) > 0)
        .filter(each -> !checksums.containsKey(each.blob().key()))
        .sorted(Comparator.comparing(each -> each.blob().key()))
        .limit(limit)
        .toList();
  }

  /** As if the catalog had the blob. */
  public void know(BlobRef blob, Digest sha256) {
    catalog.add(new Unchecked(blob, sha256));
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
