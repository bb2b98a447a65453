package io.artifactserver.core.catalog;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * A promise that an artifact stays. Until it ends, nobody deletes the artifact, and the promise is
 * not shortened or taken back; it may be extended. Immutable.
 *
 * @param until the artifact may be deleted from then on; cut to microseconds
 * @param reason for people
 */
public record Hold(Instant until, String reason) {
  /** The longest hold from now on: a wrong digit in a year cannot be taken back. */
  public static final Duration LONGEST = Duration.ofDays(36_525);

  /** Most characters of a reason. */
  public static final int MAX_REASON = 500;

  /**
   * @throws IllegalArgumentException if the reason is blank or too long
   */
  public Hold {
    until = until.truncatedTo(ChronoUnit.MICROS);
    if (reason.isBlank() || reason.length() > MAX_REASON) {
      throw new IllegalArgumentException(
          "A hold's reason must have 1 to %d characters, not %d"
              .formatted(MAX_REASON, reason.length()));
    }
  }
}
