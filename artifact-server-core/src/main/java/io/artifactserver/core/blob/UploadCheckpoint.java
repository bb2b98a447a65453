package io.artifactserver.core.blob;

/**
 * How far an upload has come durably, and what its store needs to go on from there. Immutable by
 * convention: the array is not copied.
 *
 * @param key of the blob
 * @param length of the plain bytes that are kept, in bytes
 * @param state as {@link BlobUpload#checkpoint()} returned it; the store's own
 * @param mustRepeat whether bytes that may have been written behind the checkpoint may come again
 *     only as they were: a cipher must not encrypt other bytes in their place
 */
@SuppressWarnings("ArrayRecordComponent") // Never compared.
public record UploadCheckpoint(String key, long length, byte[] state, boolean mustRepeat) {
  /**
   * @throws IllegalArgumentException if the key or the length is none
   */
  public UploadCheckpoint {
    BlobRef.requireKey(key);
    if (length < 0) {
      throw new IllegalArgumentException("Checkpoint of %s at %d".formatted(key, length));
    }
  }

  /** The blob as far as it goes, for messages. */
  public BlobRef ref() {
    return new BlobRef(key, length);
  }
}
