package io.artifactserver.benchmarks.load;

/** The user has to do or say something else; the message says what. */
final class UsageException extends RuntimeException {
  UsageException(String message) {
    super(message);
  }
}
