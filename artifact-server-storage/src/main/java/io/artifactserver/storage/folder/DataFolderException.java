package io.artifactserver.storage.folder;

/** The data folder cannot be this server's; the message says why and what to do about it. */
public final class DataFolderException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  DataFolderException(String message) {
    super(message);
  }

  DataFolderException(String message, Throwable cause) {
    super(message, cause);
  }
}
