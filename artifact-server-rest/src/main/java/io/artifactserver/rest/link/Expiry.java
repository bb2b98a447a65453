package io.artifactserver.rest.link;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.regex.Pattern;

/** Times as people and scripts write them. Pure functions. */
public final class Expiry {
  /** What {@link #parse} takes, for messages. */
  public static final String FORMS =
      "a time (2030-01-31T12:00:00Z), seconds since 1970, or a span from now (90s, 15m, 12h, 7d,"
          + " PT1H)";

  /** In characters; it is kept in the audit as it was sent. */
  private static final int MAX_LENGTH = 64;

  private static final Pattern SPAN = Pattern.compile("[0-9]{1,9}[smhd]");
  private static final Pattern SECONDS = Pattern.compile("[0-9]{10,11}");

  private Expiry() {}

  /**
   * Reads a time.
   *
   * @return whole seconds
   * @throws IllegalArgumentException if the text is none of {@link #FORMS}
   */
  public static Instant parse(String text, Instant now) {
    if (text.length() > MAX_LENGTH) {
      throw new IllegalArgumentException("A time is " + FORMS);
    }
    try {
      Instant time;
      if (SPAN.matcher(text).matches()) {
        time = now.plus(Duration.parse((text.endsWith("d") ? "P" : "PT") + text));
      } else if (SECONDS.matcher(text).matches()) {
        time = Instant.ofEpochSecond(Long.parseLong(text));
      } else if (text.startsWith("P")) {
        time = now.plus(Duration.parse(text));
      } else {
        time = OffsetDateTime.parse(text).toInstant();
      }
      return Instant.ofEpochSecond(time.getEpochSecond());
    } catch (DateTimeException | ArithmeticException e) {
      throw new IllegalArgumentException("A time is " + FORMS, e);
    }
  }
}
