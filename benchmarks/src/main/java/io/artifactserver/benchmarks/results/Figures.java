package io.artifactserver.benchmarks.results;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Arrays;
import java.util.Locale;

/** How figures are written, and which of several counts. */
public final class Figures {
  private Figures() {}

  /** Three significant digits, or all digits of the integer part. */
  public static String format(double value) {
    if (Double.isNaN(value) || Double.isInfinite(value)) {
      return "?";
    }
    if (Math.abs(value) >= 1000) {
      return String.format(Locale.ROOT, "%,.0f", value);
    }
    if (value == 0) {
      return "0";
    }
    return BigDecimal.valueOf(value)
        .round(new MathContext(3, RoundingMode.HALF_UP))
        .stripTrailingZeros()
        .toPlainString();
  }

  /** Of at least one number; the mean of the middle two of an even count. */
  public static double median(double... numbers) {
    double[] sorted = numbers.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
