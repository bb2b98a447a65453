package io.artifactserver.storage.remote.checked;

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
  private final Cache<String, Optional<byte[]>> remembered =
      Caffeine.newBuilder()
          .executor(Runnable::run)
          .maximumWeight(MAX_REMEMBERED)
          .<String, Optional<byte[]>>weigher(
              (_, known) -> ENTRY_OVERHEAD + known.map(bytes -> bytes.length).orElse(0))
          .build();

  KnownChecksums(BlobChecksums stored) {
    this.stored = stored;
  }

  /** The checksums of a blob, or empty if it has none. Asks the database the first time. */
  Optional<byte[]> find(String key) {
    return remembered.get(key, stored::find);
  }

  /** Asks the database. */
  void put(String key, byte[] checksums) {
    stored.put(key, checksums);
    remembered.put(key, Optional.of(checksums));
  }

  /** Asks the database. */
  void delete(String key) {
    remembered.invalidate(key);
    stored.delete(key);
  }
}
