package io.artifactserver.rest.connection;

/** A body on its way to a client. Called from the sweep's thread, while others write. */
public interface PacedBody {
  /** Bytes that the connection took so far; may be a moment late. */
  long taken();

  /** Whether it is the client that everybody waits for, and no disk or backend. */
  boolean isWaitingForClient();
}
