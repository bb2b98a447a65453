package io.artifactserver.benchmarks.results;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;

/** How figures are written. */
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
}
