package io.artifactserver.benchmarks.load;

/** A server sent other bytes than it was given. Nothing that it achieved otherwise counts. */
final class WrongBytesException extends RuntimeException {
  WrongBytesException(String message) {
    super(message);
  }
}
