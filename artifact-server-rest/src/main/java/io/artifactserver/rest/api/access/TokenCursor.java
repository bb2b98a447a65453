package io.artifactserver.rest.api.access;

import io.artifactserver.core.access.AccessTokenStore.Position;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A place in the list of tokens as text: microseconds since 1970 with at least 16 digits, so that
 * no date passes for one, a dash and the token's id.
 */
final class TokenCursor {
  /** PostgreSQL takes no year beyond 294276, and no NUL character. */
  private static final Pattern FORM = Pattern.compile("([0-9]{16,17})-([^\0]+)");

  private TokenCursor() {}

  static String text(Position position) {
    long micros = ChronoUnit.MICROS.between(Instant.EPOCH, position.createdAt());
    return String.format(Locale.ROOT, "%016d-%s", micros, position.id());
  }

  /** The place that a text names; empty if it names none. */
  static Optional<Position> position(String text) {
    Matcher form = FORM.matcher(text);
    return form.matches()
        ? Optional.of(
            new Position(
                Instant.EPOCH.plus(Long.parseLong(form.group(1)), ChronoUnit.MICROS),
                form.group(2)))
        : Optional.empty();
  }
}
