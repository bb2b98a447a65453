package io.artifactserver.core.fetch;

import java.io.IOException;

/** A file cannot be fetched, and asking again would not help. The message names the file. */
public final class RemoteRefusedException extends IOException {
  private static final long serialVersionUID = 1L;

  public RemoteRefusedException(String message) {
    super(message);
  }

  public RemoteRefusedException(String message, Throwable cause) {
    super(message, cause);
  }
}
