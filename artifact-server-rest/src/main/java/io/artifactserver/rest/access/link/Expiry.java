package io.artifactserver.rest.access.link;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;

/** Times as people and scripts write them. Pure functions. */
public final class Expiry {
  /** The input of {@link #parse}, for messages. */
  public static final String FORMS =
      "a time (2030-01-31T12:00:00Z), seconds since 1970, or a span from now (90s, 15m, 12h, 7d,"
          + " PT1H)";

  /** In characters; it is kept in the audit as it was sent. */
  private static final int MAX_LENGTH = 64;

  private static final Pattern SPAN = Pattern.compile("[0-9]{1,9}[smhd]");
  private static final Pattern SECONDS = Pattern.compile("[0-9]{10,11}");

  private Expiry() {}

  /**
   * Reads when something ends.
   *
   * @return whole seconds, not before the time that is meant; a time that has come is over at once
   * @throws IllegalArgumentException if the text is none of {@link #FORMS}
   */
  public static Instant end(String text, Instant now) {
    Instant exact = parse(text, now);
    Instant second = begin(text, now);
    return exact.equals(second) || !exact.isAfter(now) ? second : second.plusSeconds(1);
  }

  /**
   * Reads when something begins.
   *
   * @return whole seconds, and not after the time that is meant
   * @throws IllegalArgumentException if the text is none of {@link #FORMS}
   */
  public static Instant begin(String text, Instant now) {
    return Instant.ofEpochSecond(parse(text, now).getEpochSecond());
  }

  private static Instant parse(String text, Instant now) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("A time is " + FORMS);
    }
    try {
      if (SPAN.matcher(text).matches()) {
        return now.plus(Duration.parse((text.endsWith("d") ? "P" : "PT") + text));
      }
      if (SECONDS.matcher(text).matches()) {
        return Instant.ofEpochSecond(Long.parseLong(text));
      }
      return text.startsWith("P")
          ? now.plus(Duration.parse(text))
          : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException("A time is " + FORMS, e);
    }
  }
}
