package io.artifactserver.rest.command.doctor;

import java.util.Locale;

/** Amounts of bytes for people. */
final class Amount {
  private static final double KIBI = 1024;

  private Amount() {}

  /** Room in memory or on a disk: {@code 4.0 MiB}. */
  static String room(long bytes) {
    String[] units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
    double amount = bytes;
    int unit = 0;
    while (amount >= KIBI && unit < units.length - 1) {
      amount /= KIBI;
      unit++;
    }
    return unit == 0
        ? bytes + " B"
        : String.format(Locale.ROOT, amount < 10 ? "%.1f %s" : "%.0f %s", amount, units[unit]);
  }

  /** A rate: {@code 15.7 MB/s}, of a million bytes each. */
  static String rate(double bytesPerSecond) {
    double rate = bytesPerSecond / 1e6;
    return String.format(Locale.ROOT, rate < 100 ? "%.1f MB/s" : "%.0f MB/s", rate);
  }
}
