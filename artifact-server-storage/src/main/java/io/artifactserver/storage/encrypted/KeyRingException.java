package io.artifactserver.storage.encrypted;

/** The key ring is not to be had; the message says why and what the operator can do. */
public final class KeyRingException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  KeyRingException(String message) {
    super(message);
  }

  KeyRingException(String message, Throwable cause) {
    super(message, cause);
  }
}
