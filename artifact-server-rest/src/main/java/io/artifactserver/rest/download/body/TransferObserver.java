package io.artifactserver.rest.download.body;

import io.artifactserver.core.blob.StorageException;

/** Learns of every body that was sent. Thread-safe; called on the connection's thread: be quick. */
@FunctionalInterface
public interface TransferObserver {
  /** One transfer ended. */
  void transferred(TransferOutcome outcome);

  /** A blob turned out not to have the bytes that were stored; maybe not for the first time. */
  default void damaged(StorageException.BlobCorrupt damage) {}
}
