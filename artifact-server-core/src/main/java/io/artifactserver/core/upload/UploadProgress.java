package io.artifactserver.core.upload;

/**
 * How far an upload has come durably. Immutable by convention: the arrays are not copied.
 *
 * @param position bytes that are kept, from the first
 * @param digests states of the digests of these bytes; empty before the first byte
 * @param store what the blob's store needs to go on; empty before the first byte
 * @param isOpen whether bytes may have been written behind the position
 * @param parts uploads whose bytes these are, of one that is made of others
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record UploadProgress(
    long position, byte[] digests, byte[] store, boolean isOpen, int parts) {
  /** The progress of an upload that has just begun. */
  public static final UploadProgress NONE =
      new UploadProgress(0, new byte[0], new byte[0], false, 0);

  /** Whether there is a checkpoint: without one, nothing is kept yet. */
  public boolean hasCheckpoint() {
    return digests.length > 0;
  }
}
