package io.artifactserver.core.attachment;

/** A document is not what its kind says. Nothing of it is kept. */
public final class BadDocumentException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Reasons quote the document. */
  private static final int MAX_LENGTH = 500;

  /**
   * @param line where it is wrong, counted from 1
   * @param reason without a period; a long one is cut
   */
  public BadDocumentException(int line, String reason) {
    super(
        "Line %d: %s".formatted(line, reason.substring(0, Math.min(MAX_LENGTH, reason.length()))));
  }
}
