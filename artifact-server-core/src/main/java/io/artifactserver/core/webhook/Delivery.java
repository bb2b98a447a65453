package io.artifactserver.core.webhook;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One event for one webhook. Immutable.
 *
 * @param webhook its id
 * @param message names the event, the same for each attempt and for each webhook
 * @param number grows with every event: of two about one thing, the later one has the larger number
 * @param data JSON
 * @param at when it happened
 * @param attempts how often it was posted, since it was last asked for by hand
 * @param nextAttempt when it is posted next; null if it is over
 * @param last the latest attempt; null before the first
 */
public record Delivery(
    long id,
    long webhook,
    UUID message,
    long number,
    EventKind kind,
    String data,
    Instant at,
    int attempts,
    @Nullable Instant nextAttempt,
    @Nullable Attempt last) {
  /** The states of a delivery. */
  public enum State {
    /** It is to be posted, for the first time or again. */
    WAITING,

    /** The receiver took it. */
    DELIVERED,

    /** The receiver did not take it, and it is not posted again. */
    FAILED
  }

  /** How far it is. */
  public State state() {
    if (nextAttempt != null) {
      return State.WAITING;
    }
    return last != null && last.answer().isTaken() ? State.DELIVERED : State.FAILED;
  }

  /**
   * A posted message. Immutable.
   *
   * @param at when it was over
   */
  public record Attempt(Instant at, Duration took, Answer answer) {}

  /**
   * The receiver's answer. Immutable.
   *
   * @param status 0 if there was none
   * @param detail for people: why it was not taken; empty if it was
   */
  public record Answer(int status, String detail) {
    private static final int GONE = 410;

    /** Whether the receiver has the message. */
    public boolean isTaken() {
      return status >= 200 && status < 300;
    }

    /** Whether the receiver wants no more messages. */
    public boolean isGone() {
      return status == GONE;
    }
  }
}
