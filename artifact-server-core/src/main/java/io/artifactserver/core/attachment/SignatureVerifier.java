package io.artifactserver.core.attachment;

import io.artifactserver.core.digest.Digests;
import java.security.MessageDigest;
import java.util.Optional;

/** Knows the formats of signatures that are verified here. Thread-safe; no I/O. */
public interface SignatureVerifier {
  /**
   * Returns the format of a signature, if it is one of them.
   *
   * @throws BadDocumentException if it is, and cannot be verified whatever the key
   */
  Optional<TrustedKey.Format> format(byte[] signature) throws BadDocumentException;

  /**
   * Returns a fresh digest of the artifact that the format's signatures are made over, if the
   * catalog has none of that algorithm.
   */
  Optional<MessageDigest> digest(TrustedKey.Format format);

  /**
   * Refuses a key that verifies nothing.
   *
   * @throws IllegalArgumentException that says why
   */
  void requireUsable(TrustedKey key);

  /**
   * Whether the key's owner has signed an artifact.
   *
   * @param digests of the artifact
   * @param digest of the artifact that {@link #digest} is for; empty if there is none
   */
  boolean isGood(TrustedKey key, byte[] signature, Digests digests, byte[] digest);
}
