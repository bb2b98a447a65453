package io.artifactserver.storage.postgres;

/** The database is not to be had at start; the message says what the operator can do. */
public final class DatabaseStartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public DatabaseStartException(String message) {
    super(message);
  }

  public DatabaseStartException(String message, Throwable cause) {
    super(message, cause);
  }
}
