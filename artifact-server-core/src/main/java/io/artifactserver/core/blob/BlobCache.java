package io.artifactserver.core.blob;

/**
 * A store that keeps blobs of another, slower one, and can tell how well that goes. Thread-safe.
 */
public interface BlobCache {
  /** Its counters since the start, and its content now. No I/O. */
  Figures figures();

  /**
   * Counts.
   *
   * @param hits requests whose first byte was there
   * @param misses requests that waited for it
   * @param passes requests, or rests of such, that the other store served past the cache
   * @param filledBytes read from the other store into the cache
   * @param evictions of blobs that made room for others
   * @param damagedPieces found damaged, and fetched again
   * @param heldBytes now, in bytes
   * @param blobs held now, whole or in part
   */
  record Figures(
      long hits,
      long misses,
      long passes,
      long filledBytes,
      long evictions,
      long damagedPieces,
      long heldBytes,
      long blobs) {}
}
