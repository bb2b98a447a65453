package io.artifactserver.rest.access;

import org.jspecify.annotations.Nullable;

/** The identity provider cannot be asked: whether a token is good, say. */
public final class IssuerUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public IssuerUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
