package io.artifactserver.storage.migrate;

import org.jspecify.annotations.Nullable;

/** The migration cannot begin or go on. The message is for the operator, and says what to do. */
final class MigrationFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  MigrationFailedException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
