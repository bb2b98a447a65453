package io.artifactserver.core.release;

import java.time.Duration;
import java.time.temporal.ChronoUnit;

/**
 * When a release is taken back without anybody's doing. Immutable.
 *
 * @param percentage of the devices that began an update within the time; when more of them failed,
 *     the channel goes back
 * @param within how far back it is looked; devices that began before do not count any more
 * @param atLeast so many devices must have failed, so that one of two is no reason
 * @param stall after so long without a byte, a device that has not got all has failed
 */
public record StopRule(int percentage, Duration within, int atLeast, Duration stall) {
  /** The shortest time. */
  public static final Duration SHORTEST = Duration.ofSeconds(1);

  /** The longest time. */
  public static final Duration LONGEST = Duration.ofDays(30);

  private static final int PERCENT = 100;

  /**
   * @throws IllegalArgumentException if a value is out of bounds
   */
  public StopRule {
    require(percentage >= 0 && percentage < PERCENT, "The percentage of \"stop\" is 0 to 99");
    require(isTime(within), "\"within\" is 1 second to 30 days");
    require(atLeast >= 1, "\"atLeast\" is 1 or more");
    require(isTime(stall), "\"stall\" is 1 second to 30 days");
    // As the database has them: a rule that was read again is the same one.
    within = within.truncatedTo(ChronoUnit.MILLIS);
    stall = stall.truncatedTo(ChronoUnit.MILLIS);
  }

  /** Whether so many failures of so many devices are too many. */
  boolean isBroken(long failed, long begun) {
    return failed >= atLeast && failed * PERCENT > begun * percentage;
  }

  private static boolean isTime(Duration time) {
    return time.compareTo(SHORTEST) >= 0 && time.compareTo(LONGEST) <= 0;
  }

  private static void require(boolean isGood, String rule) {
    if (!isGood) {
      throw new IllegalArgumentException(rule);
    }
  }
}
