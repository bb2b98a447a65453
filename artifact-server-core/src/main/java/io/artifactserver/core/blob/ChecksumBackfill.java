package io.artifactserver.core.blob;

/** Gives checksums to blobs that have none. Thread-safe; a run blocks for as long as it reads. */
public interface ChecksumBackfill {
  /**
   * Reads every plain blob without checksums, one after the other, and keeps the checksums of those
   * whose bytes have their SHA-256. The others are read once more, and if they differ again marked
   * as suspect. Encrypted blobs need none: each segment is authenticated when it is decrypted.
   *
   * @throws StorageException if the store cannot be asked; the next run goes on
   */
  Run run() throws StorageException;

  /**
   * The result of a run.
   *
   * @param checked blobs that have checksums now
   * @param damaged blobs that were marked as suspect
   */
  record Run(int checked, int damaged) {}
}
