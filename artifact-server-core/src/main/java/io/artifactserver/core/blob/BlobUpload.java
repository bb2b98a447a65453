package io.artifactserver.core.blob;

import java.nio.ByteBuffer;

/**
 * One blob being written, visible to nobody before {@link #commit()}. Used by one thread and closed
 * by its caller.
 */
public interface BlobUpload extends AutoCloseable {
  /**
   * The key that {@link #commit()} will return: known from the start, so that what is written can
   * be bound to it. No I/O.
   */
  String key();

  /**
   * Appends the remaining bytes of {@code bytes}. Blocks until the backend has taken them.
   *
   * @throws StorageException if it did not; the upload can then only be closed
   * @throws IllegalStateException if the upload is committed, failed or closed
   */
  void write(ByteBuffer bytes) throws StorageException;

  /**
   * Makes the blob durable and visible. When this returns, the blob survives a power cut.
   *
   * @throws StorageException if it may not be durable; the upload can then only be closed
   * @throws IllegalStateException if the upload is committed, failed or closed
   */
  BlobRef commit() throws StorageException;

  /** Without a successful {@link #commit()}: aborts and leaves nothing behind. May be repeated. */
  @Override
  void close();
}
