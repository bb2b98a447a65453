package io.artifactserver.core.fetch;

/** The stages of a fetch. */
public enum FetchState {
  /** It waits for its turn. */
  WAITING,
  /** Its bytes are being fetched. */
  RUNNING,
  /** Its artifact is there. */
  COMPLETE,
  /** It failed, and nothing of it is kept. */
  FAILED,
  /** Somebody ended it, or the server stopped, and nothing of it is kept. */
  ENDED
}
