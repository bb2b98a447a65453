package io.artifactserver.core.attachment;

/**
 * How much attachments may take. Immutable.
 *
 * @param maxLength of one, in bytes
 * @param maxCount of an artifact
 * @param maxTotal of all together, in bytes
 */
public record AttachmentBounds(int maxLength, int maxCount, long maxTotal) {
  /** Longest signature, in bytes: those of a release are read together. */
  public static final int MAX_SIGNATURE = 16 * 1024;

  /** Longest attachment of a kind, in bytes. */
  public int maxLength(AttachmentKind kind) {
    return kind == AttachmentKind.SIGNATURE ? Math.min(MAX_SIGNATURE, maxLength) : maxLength;
  }
}
