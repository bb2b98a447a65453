package io.artifactserver.rest.delivery.body;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.rest.server.guard.PacedBody;

/** Learns of every body that was sent. Thread-safe; called on the connection's thread: be quick. */
@FunctionalInterface
public interface TransferObserver {
  /** One transfer ended. */
  void transferred(TransferOutcome outcome);

  /**
   * The body waits, for its client or for its limit. May be repeated.
   *
   * @param beginNanos when its transfer began, as {@link System#nanoTime} has it
   */
  default void waiting(PacedBody body, long beginNanos) {}

  /** A blob turned out not to have the bytes that were stored; maybe not for the first time. */
  default void lost(StorageException.BlobLost loss) {}
}
