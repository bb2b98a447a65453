package io.artifactserver.rest.api.artifact;

/** Takes the wish that what repositories still have as plain blobs be encrypted. Thread-safe. */
@FunctionalInterface
public interface EncryptionRequests {
  /** Returns at once; the work is done in the background. */
  void encryptSoon();
}
