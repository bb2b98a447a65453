package io.artifactserver.rest.download;

import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;

/** Yields a body piece by piece. Used by one thread at a time and closed by the transfer. */
interface BodySource extends AutoCloseable {
  /** Whether a piece is left. No I/O. */
  boolean hasNext();

  /** Whether {@link #next} would not block. No I/O. */
  boolean isReady();

  /**
   * Whether {@link #prepare} may wait for a local disk, which occupies the carrier of a virtual
   * thread. Takes microseconds.
   */
  boolean isCold();

  /** Whether {@link #prepare} would not wait for anything. Takes microseconds. */
  boolean isPrompt();

  /**
   * Makes {@link #isReady} true. Blocks unless {@link #isPrompt}; otherwise never called on a
   * selector's thread.
   *
   * @throws StorageException if the storage fails or ends early
   */
  void prepare() throws StorageException;

  /** The next piece, not empty; valid until the next call. Only called when ready. */
  ByteBuffer next();

  /** The next piece is a while off: gives up what can be made again. No I/O. */
  void rest();

  /** The connection turned out to be slow: pieces are small from now on, and hold little. */
  void slowDown();

  @Override
  void close();
}
