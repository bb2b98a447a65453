package io.artifactserver.rest.server.guard;

/** A body on its way to a client. Called from the sweep's thread, while others write. */
public interface PacedBody {
  /** Bytes that the connection took so far; may be a moment late. */
  long taken();

  /** Whether bytes wait for the connection to take them. */
  boolean isPending();

  /**
   * Whether it is the client that everybody waits for, and no disk or backend, nor has a limit held
   * bytes back since this was last asked.
   */
  boolean isWaitingForClient();
}
