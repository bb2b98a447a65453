package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.Wait;
import java.nio.ByteBuffer;

/** Yields a body piece by piece. Used by one thread at a time and closed by the transfer. */
public interface BodySource extends AutoCloseable {
  /** Whether a piece is left. No I/O. */
  boolean hasNext();

  /** Whether {@link #next} would not block. No I/O. */
  boolean isReady();

  /** The wait of {@link #prepare}. Takes microseconds. */
  Wait waitToPrepare();

  /**
   * Makes {@link #isReady} true. Only called on a thread that may wait for it.
   *
   * @throws StorageException if the storage fails or ends early
   */
  void prepare() throws StorageException;

  /**
   * The next piece, not empty; valid until the next call. Only called when ready.
   *
   * @param most bytes that it may have; positive
   * @throws StorageException if the piece is not what it was
   */
  ByteBuffer next(long most) throws StorageException;

  /** The next piece is a while off: gives up what can be made again. No I/O. */
  void rest();

  /** The connection turned out to be slow: pieces are small from now on, and hold little. */
  void slowDown();

  @Override
  void close();
}
