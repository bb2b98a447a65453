package io.artifactserver.core.blob;

import java.time.Instant;
import java.util.Optional;

/**
 * Keeps the checksums of what was stored in a remote backend, block by block. Thread-safe; every
 * method asks the database and may block, and throws {@link
 * io.artifactserver.core.catalog.CatalogUnavailableException} (unchecked) if it cannot.
 */
public interface BlobChecksums {
  /**
   * Keeps the checksums of a blob that was just committed, or was read and found right. Durable
   * when this returns. Replaces earlier ones.
   *
   * @param checksums CRC32C (RFC 3720, appendix B.4) of each 64 KiB of the stored bytes, four bytes
   *     each, big-endian
   */
  void put(String blobKey, byte[] checksums);

  /** The checksums of a blob, if it has any. */
  Optional<byte[]> find(String blobKey);

  /** Deletes those of a blob. May be repeated. */
  void delete(String blobKey);

  /** Deletes those put before {@code instant} that no blob of the catalog has. */
  int deleteOrphans(Instant instant);
}
