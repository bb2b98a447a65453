package io.artifactserver.rest.console;

import io.artifactserver.core.progress.DeviceProgress;
import java.util.Arrays;
import java.util.Locale;

/**
 * An artifact as a strip of equal parts: how many of the devices have each of them. Immutable.
 *
 * @param shares for each part, from 0 for no device to 1 for all
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares it
public record RangeMap(double[] shares) {
  /** As many as a wide screen can tell apart. */
  static final int PARTS = 200;

  private static final int WHOLE = 100;

  /** The map of one device. */
  public static RangeMap of(DeviceProgress device, long length) {
    double[] shares = new double[PARTS];
    if (length > 0) {
      device.delivered().addShares(shares, length, 1);
    }
    return new RangeMap(shares);
  }

  /** The shares in hundredths, rounded so that only none is 0 and only all is 100. */
  public int[] percent() {
    return Arrays.stream(shares)
        .mapToInt(share ->
            share <= 0
                ? 0
                : share >= 1 - 1e-9 ? WHOLE : Math.clamp(Math.round(share * WHOLE), 1, WHOLE - 1))
        .toArray();
  }

  /** The map in a sentence, for those who do not see it. */
  public String text() {
    double sum = Arrays.stream(shares).sum() / PARTS;
    long whole = Arrays.stream(shares).filter(share -> share >= 1 - 1e-9).count();
    return String.format(
        Locale.ROOT,
        "On average a device has %.1f %% of the artifact. Every device has %.1f %% of it.",
        sum * WHOLE,
        (double) whole * WHOLE / PARTS);
  }
}
