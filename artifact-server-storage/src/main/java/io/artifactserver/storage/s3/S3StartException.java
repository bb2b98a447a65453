package io.artifactserver.storage.s3;

import org.jspecify.annotations.Nullable;

/** The bucket cannot be used. The message is for the operator, and says what to do. */
public final class S3StartException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  S3StartException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
