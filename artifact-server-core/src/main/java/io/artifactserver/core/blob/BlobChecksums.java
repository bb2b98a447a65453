package io.artifactserver.core.blob;

import io.artifactserver.core.digest.Digest;
import java.time.Instant;
import java.util.List;
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

  /**
   * Plain blobs of the catalog that have none, in the order of their keys. Those that are retired
   * or suspect are left out.
   *
   * @param after the last key of the page before; empty for the first page
   */
  List<Unchecked> missing(String after, int limit);

  /** Deletes those of a blob. May be repeated. */
  void delete(String blobKey);

  /** Deletes those put before {@code instant} that no blob of the catalog has. */
  int deleteOrphans(Instant instant);

  /**
   * A blob without checksums.
   *
   * @param sha256 the digest that its bytes should have
   */
  record Unchecked(BlobRef blob, Digest sha256) {}
}
