package io.artifactserver.rest.server.guard;

/**
 * How far a connection of HTTP/1.1 is with its request. The engine's connections implement it; the
 * sweep asks from a thread of its own, so an answer may be a moment old.
 */
public interface RequestProgress {
  /** The part of a request that the connection expects next. */
  enum Stage {
    /** The first byte of a request. */
    WAITING,
    /** The rest of a head. */
    HEAD,
    /** The rest of a body. */
    BODY,
    /** Nothing: the request is complete. */
    ANSWER
  }

  /** Returns the current stage. */
  Stage stage();

  /** Returns when the head began, as {@link System#nanoTime} has it; 0 if it has not begun. */
  long headBeginNanos();

  /** Returns how many requests have begun on the connection. */
  long requests();
}
