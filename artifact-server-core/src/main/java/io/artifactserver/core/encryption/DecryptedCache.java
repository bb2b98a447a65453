package io.artifactserver.core.encryption;

/** Decrypted copies of blobs that are asked for again and again, in memory. Thread-safe. */
public interface DecryptedCache {
  /** How many bytes it holds now. No I/O. */
  long heldBytes();
}
