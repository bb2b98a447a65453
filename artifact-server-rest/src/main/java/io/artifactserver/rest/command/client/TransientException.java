package io.artifactserver.rest.command.client;

import java.io.IOException;
import java.time.Duration;

/** The server cannot now, and may be able to later. */
final class TransientException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Duration retryAfter;

  /**
   * @param retryAfter how long the server asks to wait; zero if it says nothing
   */
  TransientException(String message, Duration retryAfter) {
    super(message);
    this.retryAfter = retryAfter;
  }

  Duration retryAfter() {
    return retryAfter;
  }
}
