package io.artifactserver.rest.delivery.address;

import java.util.Locale;
import java.util.Optional;

/**
 * An entry of the log that SWUpdate sends to its general server: a line of comma-separated values,
 * the event first and the device next. Immutable.
 *
 * @param device as it calls itself; empty if it does not
 */
public record InstallReport(Event event, String device) {
  /** The longest line that SWUpdate sends, in bytes. */
  public static final int MAX_LENGTH = 1024;

  /** How far the installation is. The names are SWUpdate's. */
  public enum Event {
    STARTED,
    SUCCESS,
    FAIL
  }

  /** Reads a line; empty if its first value is no event. */
  public static Optional<InstallReport> parse(String line) {
    String[] values = line.strip().split(",", -1);
    String word = values[0].strip().toUpperCase(Locale.ROOT);
    for (Event event : Event.values()) {
      if (event.name().equals(word)) {
        return Optional.of(new InstallReport(event, values.length > 1 ? values[1].strip() : ""));
      }
    }
    return Optional.empty();
  }
}
