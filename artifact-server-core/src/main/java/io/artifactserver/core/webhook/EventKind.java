package io.artifactserver.core.webhook;

import java.util.Optional;
import java.util.stream.Stream;

/** The kinds of events that a webhook may be told. */
public enum EventKind {
  /** A repository has an artifact that it did not have before. */
  PUBLISHED("artifact.published"),

  /** An artifact is gone. */
  DELETED("artifact.deleted"),

  /** A device was sent every byte of an artifact. */
  COMPLETED("artifact.completed"),

  /** All devices of a channel are to get a release. */
  RELEASED("channel.released"),

  /** A part of a channel's devices is to get a release. */
  STAGE_REACHED("channel.stage-reached"),

  /** The server has taken a release back, or paused it. */
  STOPPED("channel.stopped"),

  /** Somebody tries a webhook out. Every webhook is told. */
  PING("ping");

  private final String text;

  EventKind(String text) {
    this.text = text;
  }

  /** The kind with a name, if there is one. */
  public static Optional<EventKind> parse(String text) {
    return Stream.of(values()).filter(kind -> kind.text.equals(text)).findFirst();
  }

  /** Its name in messages and in the database. */
  @Override
  public String toString() {
    return text;
  }
}
