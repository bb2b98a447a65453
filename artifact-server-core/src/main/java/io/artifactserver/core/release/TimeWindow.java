package io.artifactserver.core.release;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A time of the day that comes again on days of the week. Immutable.
 *
 * @param days on which it begins
 * @param from its first minute
 * @param to the minute in which it is over; of the next day if that is not after the first
 * @param zone whose clock it is
 */
public record TimeWindow(Set<DayOfWeek> days, LocalTime from, LocalTime to, ZoneId zone) {
  private static final Set<DayOfWeek> EVERY_DAY = Set.copyOf(EnumSet.allOf(DayOfWeek.class));
  private static final int DAY_LETTERS = 3;
  private static final String TIME = "((?:[01][0-9]|2[0-3]):[0-5][0-9])";
  private static final Pattern FORM =
      Pattern.compile("(?:([A-Za-z,-]+) )?" + TIME + "-" + TIME + "(?: ([A-Za-z0-9/_+:-]+))?");
  private static final String RULE =
      "A window is like \"22:00-04:00\", \"Mon-Fri 22:00-04:00\" or \"Sat,Sun 08:00-18:00"
          + " Europe/Berlin\", not \"%s\"";

  public TimeWindow {
    days = Set.copyOf(days);
  }

  /**
   * Reads {@code days from-to zone}. Without days it is every day, without a zone it is UTC.
   *
   * @throws IllegalArgumentException if the text has another form
   */
  public static TimeWindow parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(RULE.formatted(text));
    }
    String days = matcher.group(1);
    String zone = matcher.group(4);
    try {
      return new TimeWindow(
          days == null ? EVERY_DAY : days(days),
          LocalTime.parse(matcher.group(2)),
          LocalTime.parse(matcher.group(3)),
          ZoneId.of(zone == null ? "UTC" : zone));
    } catch (DateTimeException | IllegalArgumentException e) {
      throw new IllegalArgumentException(RULE.formatted(text), e);
    }
  }

  /** Whether the window is open. */
  public boolean includes(Instant instant) {
    ZonedDateTime at = instant.atZone(zone);
    LocalTime time = at.toLocalTime();
    boolean isDay = days.contains(at.getDayOfWeek());
    if (from.isBefore(to)) {
      return isDay && !time.isBefore(from) && time.isBefore(to);
    }
    return (isDay && !time.isBefore(from))
        || (days.contains(at.getDayOfWeek().minus(1)) && time.isBefore(to));
  }

  /** As {@link #parse} reads it. */
  @Override
  public String toString() {
    String begin =
        days.equals(EVERY_DAY)
            ? ""
            : new TreeSet<>(days).stream().map(TimeWindow::name).collect(Collectors.joining(","))
                + ' ';
    return begin + from + '-' + to + ' ' + zone.getId();
  }

  private static Set<DayOfWeek> days(String text) {
    List<DayOfWeek> days = new ArrayList<>();
    for (String part : text.split(",", -1)) {
      String[] ends = part.split("-", 2);
      DayOfWeek day = day(ends[0]);
      DayOfWeek last = day(ends[ends.length - 1]);
      days.add(day);
      while (day != last) {
        day = day.plus(1);
        days.add(day);
      }
    }
    return Set.copyOf(days);
  }

  private static DayOfWeek day(String name) {
    for (DayOfWeek day : DayOfWeek.values()) {
      if (name(day).equalsIgnoreCase(name)) {
        return day;
      }
    }
    throw new IllegalArgumentException(name + " is no day");
  }

  private static String name(DayOfWeek day) {
    String name = day.name();
    return name.charAt(0) + name.substring(1, DAY_LETTERS).toLowerCase(Locale.ROOT);
  }
}
