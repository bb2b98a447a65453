package io.artifactserver.storage.backend;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when something that the server needs cannot be used; the message says why and what an
 * operator can do.
 */
public final class SetupException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public SetupException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  public SetupException(String message) {
    this(message, null);
  }
}
