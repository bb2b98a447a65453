package io.artifactserver.storage.window;

import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;

/** One upload in parts. Used by one thread at a time and closed by whoever opened it. */
public interface PartWriter extends AutoCloseable {
  /**
   * Appends the remaining bytes of {@code bytes}, and sends each part that is full. Blocks while
   * the window is full.
   *
   * @throws StorageException if a part could not be sent; the rest is cancelled
   * @throws IllegalStateException if the writer is finished, failed or closed
   */
  void write(ByteBuffer bytes) throws StorageException;

  /**
   * Sends what is left as the last part and waits until every part is sent. Without any byte there
   * is no part.
   *
   * @return how many parts there are
   * @throws StorageException if a part could not be sent; the rest is cancelled
   * @throws IllegalStateException if the writer is finished, failed or closed
   */
  int finish() throws StorageException;

  /**
   * Without a successful {@link #finish()}: cancels the parts under way and waits until the last of
   * them has given up, so that the upload can be aborted. May be repeated.
   */
  @Override
  void close();
}
