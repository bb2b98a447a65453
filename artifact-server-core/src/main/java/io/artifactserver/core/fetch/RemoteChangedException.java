package io.artifactserver.core.fetch;

import java.io.IOException;

/** The rest of a file cannot be had: all of it has to be fetched again. */
public final class RemoteChangedException extends IOException {
  private static final long serialVersionUID = 1L;

  public RemoteChangedException(String message) {
    super(message);
  }
}
