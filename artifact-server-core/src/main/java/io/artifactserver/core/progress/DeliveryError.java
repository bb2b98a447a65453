package io.artifactserver.core.progress;

import java.time.Instant;

/**
 * Why a download of a device ended before its last byte, or was in vain. Immutable.
 *
 * @param at when it ended
 */
public record DeliveryError(Reason reason, Instant at) {
  /** The side at fault. */
  public enum Reason {
    /** The device went away, or took too little for too long. */
    ABORTED,
    /** The storage failed. */
    FAILED,

    /** The device says that it could not install it. */
    REPORTED
  }
}
