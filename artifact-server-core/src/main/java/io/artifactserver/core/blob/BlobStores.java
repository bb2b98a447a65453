package io.artifactserver.core.blob;

import org.jspecify.annotations.Nullable;

/**
 * The store of plain blobs and, if there is a key ring, that of encrypted ones. Immutable.
 *
 * @param plain has every stored byte, encrypted or not
 * @param encrypted keeps its ciphertext in {@code plain}; null without a key ring
 */
public record BlobStores(BlobStore plain, @Nullable BlobStore encrypted) {
  /** Plain blobs only. */
  public static BlobStores of(BlobStore plain) {
    return new BlobStores(plain, null);
  }

  /** Whether there is a store of encrypted blobs. */
  public boolean canEncrypt() {
    return encrypted != null;
  }

  /**
   * The store for blobs of one kind.
   *
   * @throws StorageException if blobs cannot be encrypted here: nothing is ever stored plain
   *     instead
   */
  public BlobStore of(boolean isEncrypted) throws StorageException {
    if (!isEncrypted) {
      return plain;
    }
    if (encrypted == null) {
      throw new StorageException.StorageUnavailable(
          plain.name(), "the blob is encrypted, and there is no key ring", null);
    }
    return encrypted;
  }

  /** A handle on a blob in its store; no I/O. */
  public Blob blob(BlobRef ref) throws StorageException {
    return of(ref.encrypted()).blob(ref);
  }

  /** As {@link BlobStore#delete}, in the blob's store. */
  public void delete(BlobRef ref) throws StorageException {
    of(ref.encrypted()).delete(ref);
  }
}
