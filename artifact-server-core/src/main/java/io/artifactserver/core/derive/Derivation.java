package io.artifactserver.core.derive;

import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;

/** One form of one blob while it is computed. Used by one thread. */
public interface Derivation {
  /**
   * Takes the blob's next bytes.
   *
   * @param bytes backed by an array; all of them are consumed
   * @throws StorageException if the sink takes no more
   */
  void update(ByteBuffer bytes) throws StorageException;

  /**
   * Writes what is left when the blob has ended. Called once, after the last update.
   *
   * @throws StorageException if the sink takes no more
   */
  void finish() throws StorageException;

  /** Takes the bytes of a form as they are computed. */
  @FunctionalInterface
  interface Sink {
    /**
     * Appends the remaining bytes of {@code bytes}.
     *
     * @throws StorageException if they cannot be stored
     */
    void write(ByteBuffer bytes) throws StorageException;
  }
}
