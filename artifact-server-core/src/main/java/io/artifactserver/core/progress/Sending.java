package io.artifactserver.core.progress;

import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * When and how fast a device was sent bytes. Immutable.
 *
 * <p>A device that streams asks for a range, installs it, and asks for the next. Bytes sent within
 * {@link #GAP} of those before them belong to the same stretch: its rate is how fast the device
 * gets on, pauses included.
 *
 * @param beganAt when the latest stretch began
 * @param endedAt when the latest stretch ended, so far
 * @param bytes sent in the latest stretch, those that the device had already too
 * @param earlierBytes sent in the stretches before it
 * @param earlierTime how long those took together
 */
public record Sending(
    Instant beganAt, Instant endedAt, long bytes, long earlierBytes, Duration earlierTime) {
  /** The longest pause within a stretch. */
  public static final Duration GAP = Duration.ofMinutes(1);

  /** Nothing was ever sent. */
  public static final Sending NEVER =
      new Sending(Instant.EPOCH, Instant.EPOCH, 0, 0, Duration.ZERO);

  /** Returns this and what was sent afterwards. */
  Sending then(Sending later) {
    if (bytes == 0 && equals(NEVER)) {
      return later;
    }
    boolean isOneStretch = !later.beganAt.isAfter(endedAt.plus(GAP));
    return isOneStretch
        ? new Sending(
            beganAt.isBefore(later.beganAt) ? beganAt : later.beganAt,
            endedAt.isAfter(later.endedAt) ? endedAt : later.endedAt,
            bytes + later.bytes,
            earlierBytes + later.earlierBytes,
            earlierTime.plus(later.earlierTime))
        : new Sending(
            later.beganAt,
            later.endedAt,
            later.bytes,
            earlierBytes + bytes + later.earlierBytes,
            earlierTime.plus(time()).plus(later.earlierTime));
  }

  /**
   * Returns bytes per second of the stretch that goes on.
   *
   * @return empty if there is none now, or if it has not taken any time
   */
  public OptionalLong rate(Instant now) {
    return now.isAfter(endedAt.plus(GAP)) ? OptionalLong.empty() : perSecond(bytes, time());
  }

  /** Returns bytes per second of all stretches; empty if they have not taken any time. */
  public OptionalLong averageRate() {
    return perSecond(earlierBytes + bytes, earlierTime.plus(time()));
  }

  private Duration time() {
    return Duration.between(beganAt, endedAt);
  }

  private static OptionalLong perSecond(long bytes, Duration time) {
    return time.isPositive()
        ? OptionalLong.of((long) ((double) bytes * TimeUnit.SECONDS.toNanos(1) / time.toNanos()))
        : OptionalLong.empty();
  }
}
