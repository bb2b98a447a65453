package io.artifactserver.rest.delivery.body;

import java.time.Duration;

/**
 * How one body was sent. Immutable.
 *
 * @param kind of the transfer
 * @param ending of the transfer
 * @param bytes handed to the connection and taken by it
 * @param duration from the plan to the last byte's completion
 */
public record TransferOutcome(Kind kind, Ending ending, long bytes, Duration duration) {
  /** How the bytes came to the connection. */
  public enum Kind {
    /** Mapped file pages, without a copy. */
    MAPPED,
    /** Through a buffer. */
    READ
  }

  /** How a transfer ended. */
  public enum Ending {
    /** Every byte was taken by the connection. */
    COMPLETE,
    /** The client went away. */
    ABORTED,
    /** The storage failed; the connection was cut so that no short body looks whole. */
    FAILED
  }
}
