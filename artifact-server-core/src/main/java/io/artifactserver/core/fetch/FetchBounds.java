package io.artifactserver.core.fetch;

import java.time.Duration;

/**
 * Bounds of fetches. Immutable.
 *
 * @param maxRunning at the same time; a caller has another one only while it has fewer than are
 *     free
 * @param timeout of one, from its first request to its last byte
 * @param pause before the second attempt; doubles with each that follows without a byte
 */
public record FetchBounds(int maxRunning, Duration timeout, Duration pause) {
  /** Attempts in a row without a byte. */
  static final int MAX_IN_A_ROW = 5;

  /** Attempts of one fetch: a server that sends a byte each time does not get more. */
  static final int MAX_ATTEMPTS = 50;

  /** Fetches that wait or run. */
  static final int MAX_UNFINISHED = 200;

  /** Those of one caller. */
  static final int MAX_OF_OWNER = MAX_UNFINISHED / 2;

  /** Fetches that are remembered after their end; the oldest are forgotten first. */
  static final int MAX_FINISHED = 1000;

  /** Those of one caller. */
  static final int MAX_FINISHED_OF_OWNER = MAX_FINISHED / 10;

  private static final Duration MAX_PAUSE = Duration.ofSeconds(30);

  /** How long to wait after this many attempts in a row. */
  Duration pauseAfter(int attempts) {
    Duration doubled = pause.multipliedBy(1L << (attempts - 1));
    return doubled.compareTo(MAX_PAUSE) < 0 ? doubled : MAX_PAUSE;
  }
}
