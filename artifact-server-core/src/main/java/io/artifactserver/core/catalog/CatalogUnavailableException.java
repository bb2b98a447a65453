package io.artifactserver.core.catalog;

/** The catalog's database could not be asked. Worth a retry later. */
public final class CatalogUnavailableException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public CatalogUnavailableException(String message) {
    super(message);
  }

  public CatalogUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
