package io.artifactserver.storage.window;

import io.artifactserver.core.blob.StorageException;

/** What went wrong on one thread, thrown on another. */
final class Failures {
  private Failures() {}

  /** Throws what was thrown; returns nothing. */
  static StorageException rethrow(Throwable cause) throws StorageException {
    switch (cause) {
      case StorageException e -> throw e;
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new IllegalStateException(cause);
    }
  }
}
