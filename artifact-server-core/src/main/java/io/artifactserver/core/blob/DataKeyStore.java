package io.artifactserver.core.blob;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the wrapped data key of each encrypted blob. Thread-safe; every method asks the database
 * and may block, and throws {@link io.artifactserver.core.catalog.CatalogUnavailableException}
 * (unchecked) if it cannot.
 */
public interface DataKeyStore {
  /** Keeps the key of a blob that is about to be committed. Durable when this returns. */
  void put(WrappedDataKey dataKey);

  /** The key of a blob, if it has one. */
  Optional<WrappedDataKey> find(String blobKey);

  /**
   * Keys that another ring key than {@code ringKeyId} wraps, by blob key.
   *
   * @param after every blob key comes behind it; empty for the first page
   * @param limit of the page's size
   */
  List<WrappedDataKey> notWrappedBy(long ringKeyId, String after, int limit);

  /**
   * Replaces a wrapping, unless the key was deleted or replaced meanwhile.
   *
   * @param before with the same blob key
   * @return whether it was replaced
   */
  boolean replace(WrappedDataKey before, WrappedDataKey after);

  /** Deletes the key of a blob, which no one can read any more then. May be repeated. */
  void delete(String blobKey);

  /** Deletes the keys put before {@code instant} that no blob of the catalog has. */
  int deleteOrphans(Instant instant);

  /** How many data keys each ring key wraps, by ring key. */
  Map<Long, Long> countByRingKey();

  /**
   * A data key as it is stored. Immutable by convention: the array is not copied.
   *
   * @param blobKey of the blob that it decrypts
   * @param wrapped ciphertext of the data key, bound to the blob's key
   * @param ringKeyId names the ring key that unwraps it
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared; copied to and from the database.
  record WrappedDataKey(String blobKey, byte[] wrapped, long ringKeyId) {}
}
