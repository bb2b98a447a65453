package io.artifactserver.core.catalog;

/** A name that no repository or artifact can have; the message says which rule it breaks. */
public final class InvalidNameException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  public InvalidNameException(String message) {
    super(message);
  }
}
