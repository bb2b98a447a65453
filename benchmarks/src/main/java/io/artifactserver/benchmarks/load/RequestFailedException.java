package io.artifactserver.benchmarks.load;

import java.io.IOException;

/** A request that got no correct answer. Wrong bytes are none of these: they end the run. */
final class RequestFailedException extends IOException {
  private final String kind;

  /**
   * @param kind a few words by which failures are counted
   * @param message what happened to which request
   */
  RequestFailedException(String kind, String message) {
    super(message);
    this.kind = kind;
  }

  String kind() {
    return kind;
  }
}
