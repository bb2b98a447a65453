package io.artifactserver.rest.auth;

/** Nobody knows whether a token is good: the identity provider's keys cannot be had. */
public final class IssuerUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public IssuerUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
