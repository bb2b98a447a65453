package io.artifactserver.rest.download;

/** Learns of every body that was sent. Thread-safe; called on the connection's thread: be quick. */
@FunctionalInterface
public interface TransferObserver {
  /** One transfer ended. */
  void transferred(TransferOutcome outcome);
}
