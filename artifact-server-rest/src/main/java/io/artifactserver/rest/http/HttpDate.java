package io.artifactserver.rest.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Dates as HTTP writes them (RFC 9110, section 5.6.7). Read by hand: a regular expression made 900
 * bytes of garbage a date (ResponsePlannerBenchmark).
 */
public final class HttpDate {
  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");
  private static final List<String> WEEKDAYS =
      List.of("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday");
  private static final int SHORT_NAME_LENGTH = 3;

  /** The text behind a weekday. b is a month's name, e a digit or a space, the rest digits. */
  private static final String IMF_FIXDATE = ", dd b yyyy hh:mm:ss GMT";

  private static final String RFC850_DATE = ", dd-b-yy hh:mm:ss GMT";
  private static final String ASCTIME_DATE = " b ed hh:mm:ss yyyy";

  private static final DateTimeFormatter FORMAT =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private HttpDate() {}

  /** The preferred form, IMF-fixdate; fractions of a second are cut off. */
  public static String format(Instant instant) {
    return FORMAT.format(instant);
  }

  /**
   * Reads any of the three forms a recipient must take.
   *
   * @param now decides the century of a two-digit year: one that would lie more than 50 years ahead
   *     is of the past
   * @return empty if {@code text} is no HTTP date
   */
  public static Optional<Instant> parse(String text, Instant now) {
    for (String weekday : WEEKDAYS) {
      if (text.startsWith(weekday)) {
        return new Reader(text, weekday.length()).read(RFC850_DATE, now);
      }
      if (text.regionMatches(0, weekday, 0, SHORT_NAME_LENGTH)) {
        boolean isFixdate = text.startsWith(",", SHORT_NAME_LENGTH);
        return new Reader(text, SHORT_NAME_LENGTH)
            .read(isFixdate ? IMF_FIXDATE : ASCTIME_DATE, now);
      }
    }
    return Optional.empty();
  }

  /** Reads what stands behind the weekday; used once. */
  private static final class Reader {
    private static final char END = '\0';

    private final String text;
    private int position;
    private boolean isDate = true;
    private int year;
    private int month;
    private int day;
    private int hour;
    private int minute;
    private int second;

    Reader(String text, int position) {
      this.text = text;
      this.position = position;
    }

    Optional<Instant> read(String form, Instant now) {
      for (int i = 0; i < form.length(); i++) {
        char c = form.charAt(i);
        switch (c) {
          case 'b' -> month = month();
          case 'e' -> {
            if (text.startsWith(" ", position)) {
              position++;
            } else {
              day = digit();
            }
          }
          case 'd' -> day = 10 * day + digit();
          case 'y' -> year = 10 * year + digit();
          case 'h' -> hour = 10 * hour + digit();
          case 'm' -> minute = 10 * minute + digit();
          case 's' -> second = 10 * second + digit();
          default -> isDate &= next() == c;
        }
      }
      if (form.equals(RFC850_DATE)) {
        int thisYear = ZonedDateTime.ofInstant(now, ZoneOffset.UTC).getYear();
        year += thisYear - thisYear % 100;
        year -= year > thisYear + 50 ? 100 : 0;
      }
      // 60 is a leap second, which the grammar allows and Java's time line does not have.
      if (!isDate || second > 60 || position != text.length()) {
        return Optional.empty();
      }
      try {
        LocalDateTime minuteBegin = LocalDateTime.of(year, month, day, hour, minute);
        return Optional.of(minuteBegin.toInstant(ZoneOffset.UTC).plusSeconds(second));
      } catch (DateTimeException e) {
        return Optional.empty();
      }
    }

    private int month() {
      int i = 0;
      while (i < MONTHS.size() && !text.startsWith(MONTHS.get(i), position)) {
        i++;
      }
      position += SHORT_NAME_LENGTH;
      return i + 1;
    }

    private int digit() {
      char c = next();
      isDate &= c >= '0' && c <= '9';
      return c - '0';
    }

    private char next() {
      return position < text.length() ? text.charAt(position++) : END;
    }
  }
}
