package io.artifactserver.core.catalog;

import java.time.Instant;
import java.time.YearMonth;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Optional;

/**
 * Why an artifact was released, and how long its product is supported. Immutable.
 *
 * @param release why it was released
 * @param end the last month of the support
 */
public record Support(Release release, YearMonth end) {
  /** How long a security update stays at least, from the day on which it is called one. */
  public static final int SECURITY_YEARS = 10;

  /** Why an artifact was released. */
  public enum Release {
    /** Repairs a vulnerability. */
    SECURITY,

    /** Brings something new. */
    FEATURE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * The hold that comes with it: a security update stays for {@value #SECURITY_YEARS} years, or
   * until the support has ended if that is later; empty for other releases.
   */
  public Optional<Hold> hold(Instant now) {
    if (release != Release.SECURITY) {
      return Optional.empty();
    }
    Instant supported = end.plusMonths(1).atDay(1).atStartOfDay().toInstant(ZoneOffset.UTC);
    Instant least = now.atOffset(ZoneOffset.UTC).plusYears(SECURITY_YEARS).toInstant();
    return Optional.of(
        new Hold(
            supported.isAfter(least) ? supported : least,
            "Security update, supported until " + end));
  }
}
