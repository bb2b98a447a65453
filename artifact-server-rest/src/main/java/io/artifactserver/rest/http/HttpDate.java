package io.artifactserver.rest.http;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
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
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private HttpDate() {}

  /** The preferred form, IMF-fixdate; fractions of a second are cut off. */
  public static String format(Instant instant) {
    return IMF_FIXDATE.format(instant);
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
        return new Reader(text, weekday.length()).rfc850Date(now);
      }
      if (text.regionMatches(0, weekday, 0, SHORT_NAME_LENGTH)) {
        Reader reader = new Reader(text, SHORT_NAME_LENGTH);
        return text.startsWith(",", SHORT_NAME_LENGTH) ? reader.imfFixdate() : reader.asctimeDate();
      }
    }
    return Optional.empty();
  }

  /** Reads what stands behind the weekday; used once. */
  private static final class Reader {
    private final String text;
    private int position;
    private boolean isDate = true;
    private int day;
    private int month;
    private long secondOfDay;

    Reader(String text, int position) {
      this.text = text;
      this.position = position;
    }

    /** Sun, 06 Nov 1994 08:49:37 GMT. */
    Optional<Instant> imfFixdate() {
      literal(", ");
      day = number(2);
      literal(" ");
      month();
      literal(" ");
      int year = number(4);
      literal(" ");
      time();
      literal(" GMT");
      return instant(year);
    }

    /** Sunday, 06-Nov-94 08:49:37 GMT. */
    Optional<Instant> rfc850Date(Instant now) {
      literal(", ");
      day = number(2);
      literal("-");
      month();
      literal("-");
      int year = number(2);
      literal(" ");
      time();
      literal(" GMT");
      int thisYear = ZonedDateTime.ofInstant(now, ZoneOffset.UTC).getYear();
      year += thisYear - thisYear % 100;
      return instant(year > thisYear + 50 ? year - 100 : year);
    }

    /** Sun Nov 6 08:49:37 1994. */
    Optional<Instant> asctimeDate() {
      literal(" ");
      month();
      literal(" ");
      if (text.startsWith(" ", position)) {
        position++;
        day = number(1);
      } else {
        day = number(2);
      }
      literal(" ");
      time();
      literal(" ");
      return instant(number(4));
    }

    private void time() {
      int hour = number(2);
      literal(":");
      int minute = number(2);
      literal(":");
      int second = number(2);
      // 60 is a leap second, which the grammar allows and Java's time line does not have.
      isDate &= hour <= 23 && minute <= 59 && second <= 60;
      secondOfDay = hour * 3_600L + minute * 60L + second;
    }

    private void month() {
      int i = 0;
      while (i < MONTHS.size() && !text.startsWith(MONTHS.get(i), position)) {
        i++;
      }
      isDate &= i < MONTHS.size();
      position += SHORT_NAME_LENGTH;
      month = i + 1;
    }

    private int number(int digits) {
      int number = 0;
      for (int end = position + digits; position < end; position++) {
        char c = position < text.length() ? text.charAt(position) : ' ';
        isDate &= c >= '0' && c <= '9';
        number = number * 10 + c - '0';
      }
      return number;
    }

    private void literal(String literal) {
      isDate &= text.startsWith(literal, position);
      position += literal.length();
    }

    private Optional<Instant> instant(int year) {
      if (!isDate || position != text.length()) {
        return Optional.empty();
      }
      try {
        long seconds = LocalDate.of(year, month, day).toEpochDay() * 86_400 + secondOfDay;
        return Optional.of(Instant.ofEpochSecond(seconds));
      } catch (DateTimeException e) {
        return Optional.empty();
      }
    }
  }
}
