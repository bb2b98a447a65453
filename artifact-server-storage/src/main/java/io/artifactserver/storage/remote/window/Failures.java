package io.artifactserver.storage.remote.window;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.range.ByteRange;
import org.jspecify.annotations.Nullable;

/** Failures between the threads of a window. */
final class Failures {
  private Failures() {}

  static StorageException unavailable(String message, @Nullable Throwable cause) {
    return new StorageException.StorageUnavailable("remote", message, cause);
  }

  static StorageException endedEarly(ByteRange range) {
    return unavailable("a fetch of %s ended early".formatted(range), null);
  }

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
