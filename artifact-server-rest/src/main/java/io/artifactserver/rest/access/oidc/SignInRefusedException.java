package io.artifactserver.rest.access.oidc;

/** Somebody cannot sign in; the message says why. */
public final class SignInRefusedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  SignInRefusedException(String message) {
    super(message);
  }
}
