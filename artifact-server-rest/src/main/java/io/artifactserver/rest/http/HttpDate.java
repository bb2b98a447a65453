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
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Dates as HTTP writes them (RFC 9110, section 5.6.7). */
public final class HttpDate {
  private static final int MAX_LENGTH = 40;
  private static final List<String> MONTHS =
      List.of("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec");
  private static final DateTimeFormatter IMF_FIXDATE =
      DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final String TIME = "(?<hour>\\d\\d):(?<minute>\\d\\d):(?<second>\\d\\d)";
  private static final List<Pattern> FORMATS =
      List.of(
          // IMF-fixdate: Sun, 06 Nov 1994 08:49:37 GMT
          Pattern.compile(
              "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (?<day>\\d\\d) (?<month>[A-Z][a-z]{2})"
                  + " (?<year>\\d{4}) "
                  + TIME
                  + " GMT"),
          // rfc850-date: Sunday, 06-Nov-94 08:49:37 GMT
          Pattern.compile(
              "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (?<day>\\d\\d)-(?<month>[A-Z][a-z]{2})"
                  + "-(?<year>\\d\\d) "
                  + TIME
                  + " GMT"),
          // asctime-date: Sun Nov  6 08:49:37 1994
          Pattern.compile(
              "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?<month>[A-Z][a-z]{2}) (?<day>[ \\d]\\d) "
                  + TIME
                  + " (?<year>\\d{4})"));

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
    if (text.length() > MAX_LENGTH) {
      return Optional.empty();
    }
    for (Pattern format : FORMATS) {
      Matcher matcher = format.matcher(text);
      if (matcher.matches()) {
        return instant(matcher, now);
      }
    }
    return Optional.empty();
  }

  private static Optional<Instant> instant(Matcher matcher, Instant now) {
    int month = MONTHS.indexOf(matcher.group("month")) + 1;
    int hour = Integer.parseInt(matcher.group("hour"));
    int minute = Integer.parseInt(matcher.group("minute"));
    int second = Integer.parseInt(matcher.group("second"));
    // 60 is a leap second, which the grammar allows and Java's time line does not have.
    if (month == 0 || hour > 23 || minute > 59 || second > 60) {
      return Optional.empty();
    }
    int year = Integer.parseInt(matcher.group("year"));
    if (matcher.group("year").length() == 2) {
      int thisYear = ZonedDateTime.ofInstant(now, ZoneOffset.UTC).getYear();
      year += thisYear - thisYear % 100;
      year = year > thisYear + 50 ? year - 100 : year;
    }
    try {
      LocalDate date = LocalDate.of(year, month, Integer.parseInt(matcher.group("day").strip()));
      long seconds = date.toEpochDay() * 86_400 + hour * 3_600L + minute * 60L + second;
      return Optional.of(Instant.ofEpochSecond(seconds));
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }
}
