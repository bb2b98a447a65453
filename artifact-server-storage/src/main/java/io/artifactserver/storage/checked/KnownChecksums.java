package io.artifactserver.storage.checked;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.artifactserver.core.blob.BlobChecksums;
import java.util.Optional;

/** Remembers checksums, and which blobs have none, so that a warm range asks no database. */
final class KnownChecksums {
  /** In bytes; enough for 512 GB of blobs. */
  private static final long MAX_REMEMBERED = 32L << 20;

  private static final int ENTRY_OVERHEAD = 100;

  private final BlobChecksums stored;
  private final Cache<String, Known> remembered =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(MAX_REMEMBERED)
          .<String, Known>weigher(
              (_, known) -> ENTRY_OVERHEAD + known.checksums.map(bytes -> bytes.length).orElse(0))
          .build();

  /**
   * What is known of a blob.
   *
   * @param checksums empty if it has none
   */
  record Known(Optional<byte[]> checksums) {}

  KnownChecksums(BlobChecksums stored) {
    this.stored = stored;
  }

  /** Empty if nothing is known. No I/O. */
  Optional<Known> peek(String key) {
    return Optional.ofNullable(remembered.getIfPresent(key));
  }

  /** Asks the database, if nothing is known. */
  Known find(String key) {
    return peek(key)
        .orElseGet(() -> {
          Known found = new Known(stored.find(key));
          remembered.put(key, found);
          return found;
        });
  }

  /** Asks the database. */
  void put(String key, byte[] checksums) {
    stored.put(key, checksums);
    remembered.put(key, new Known(Optional.of(checksums)));
  }

  /** Asks the database. */
  void delete(String key) {
    remembered.invalidate(key);
    stored.delete(key);
  }
}
