package io.artifactserver.rest.command.client;

import java.util.Locale;

/** Amounts, rates and times for people. */
final class Figures {
  private static final String[] UNITS = {"B", "kB", "MB", "GB", "TB", "PB"};
  private static final double STEP = 1000;
  private static final int MINUTE = 60;
  private static final int HOUR = 3600;
  private static final int MAX_HOURS = 99;

  private Figures() {}

  /** {@code 64.0 MB}, in powers of 1000. */
  static String bytes(long bytes) {
    return amount((double) bytes);
  }

  /** {@code 12.3 MB/s}. */
  static String rate(double bytesPerSecond) {
    return amount(bytesPerSecond) + "/s";
  }

  private static String amount(double bytes) {
    double amount = bytes;
    int unit = 0;
    // 999.96 would be printed as 1000.0.
    while (amount >= STEP - 0.05 && unit < UNITS.length - 1) {
      amount /= STEP;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", amount, UNITS[unit]);
  }

  /** {@code 0:05}, {@code 12:34}, {@code 1:02:03}. */
  static String time(long seconds) {
    long hours = seconds / HOUR;
    if (hours > MAX_HOURS) {
      return "days";
    }
    return hours == 0
        ? "%d:%02d".formatted(seconds / MINUTE, seconds % MINUTE)
        : "%d:%02d:%02d".formatted(hours, seconds % HOUR / MINUTE, seconds % MINUTE);
  }
}
