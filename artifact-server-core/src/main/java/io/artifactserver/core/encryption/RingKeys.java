package io.artifactserver.core.encryption;

import io.artifactserver.core.blob.StorageException;
import java.util.List;

/** An operator's view of the key ring; never shows key material. Thread-safe; may block. */
public interface RingKeys {
  /** The keys of the ring, oldest first. */
  List<RingKey> list();

  /**
   * Adds a key and makes it the primary one. Data keys are wrapped again later, by {@link #rewrap}.
   *
   * @throws RingKeyException if the ring is not the server's to change
   */
  RingKey rotate() throws RingKeyException;

  /**
   * Removes a key from the ring for ever.
   *
   * @throws RingKeyException if there is no such key, it is the primary one, a data key still needs
   *     it, or the ring is not the server's to change
   */
  void remove(long id) throws RingKeyException;

  /**
   * Wraps a batch of data keys again with the primary key. Blobs are not touched. The next call
   * does the work that a crash left undone.
   *
   * @return how many data keys were wrapped again; 0 when all are
   * @throws StorageException if a data key cannot be unwrapped
   */
  int rewrap(int batch) throws StorageException;

  /**
   * A key of the ring. Immutable.
   *
   * @param id of the key
   * @param isPrimary whether new data keys are wrapped by it
   * @param created when it was created, as ISO 8601; empty if the ring does not say
   * @param dataKeys how many data keys need it
   */
  record RingKey(long id, boolean isPrimary, String created, long dataKeys) {}

  /** The ring stays as it was; the message says why and what to do. */
  final class RingKeyException extends Exception {
    private static final long serialVersionUID = 1L;

    public RingKeyException(String message) {
      super(message);
    }
  }
}
