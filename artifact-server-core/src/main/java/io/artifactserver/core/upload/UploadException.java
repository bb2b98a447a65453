package io.artifactserver.core.upload;

import io.artifactserver.core.blob.StorageException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A request for an unfinished upload cannot be done. The message names the upload and a remedy. */
public abstract sealed class UploadException extends Exception {
  private static final long serialVersionUID = 1L;

  private UploadException(String message) {
    this(message, null);
  }

  private UploadException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** There is no such upload: it never was, expired, was ended, or its bytes were lost. */
  public static final class NotFound extends UploadException {
    private static final long serialVersionUID = 1L;

    public NotFound(String id) {
      super(
          "There is no upload %s: it expired, was ended, or was never begun. Begin a new one"
              .formatted(id));
    }

    NotFound(String id, StorageException.BlobLost cause) {
      super(
          "The bytes of upload %s are lost: %s. Begin a new one".formatted(id, cause.getMessage()),
          cause);
    }
  }

  /** The bytes are not those that the upload waits for. */
  public static final class WrongPosition extends UploadException {
    private static final long serialVersionUID = 1L;

    private final long position;
    private final long offered;

    public WrongPosition(String id, long position, long offered) {
      super(
          "Upload %s has %d bytes, and goes on there, not at %d".formatted(id, position, offered));
      this.position = position;
      this.offered = offered;
    }

    /** Where the upload goes on. */
    public long position() {
      return position;
    }

    /** Where the bytes were for. */
    public long offered() {
      return offered;
    }
  }

  /** More bytes than the upload has room for, or another length than it has. */
  public static final class WrongLength extends UploadException {
    private static final long serialVersionUID = 1L;

    private final boolean isTooLong;

    public WrongLength(String id, long length, long offered) {
      super(
          "Upload %s has a length of %d bytes, not %d: begin another upload to send other bytes"
              .formatted(id, length, offered));
      this.isTooLong = offered > length;
    }

    /** Whether there are more bytes than the upload has room for. */
    public boolean isTooLong() {
      return isTooLong;
    }
  }

  /** A part whose bytes are kept for another repository: they may have to be encrypted there. */
  public static final class WrongPart extends UploadException {
    private static final long serialVersionUID = 1L;

    public WrongPart(String id, String repository) {
      super("Upload %s is no part for repository %s. Begin one that is".formatted(id, repository));
    }
  }

  /** A part whose bytes another upload gets. */
  public static final class PartTaken extends UploadException {
    private static final long serialVersionUID = 1L;

    private final String whole;

    public PartTaken(String id, String whole) {
      super(
          "Upload %s is a part of upload %s already. Ask for that one with HEAD, or end it with DELETE"
              .formatted(id, whole));
      this.whole = whole;
    }

    /** Id of the upload that gets the bytes. */
    public String whole() {
      return whole;
    }
  }

  /** Bytes for an upload that gets them from parts. */
  public static final class OfParts extends UploadException {
    private static final long serialVersionUID = 1L;

    public OfParts(String id) {
      super("Upload %s gets its bytes from its parts: send them there".formatted(id));
    }
  }

  /** A newer request goes on with the upload; this one is over. */
  public static final class Superseded extends UploadException {
    private static final long serialVersionUID = 1L;

    public Superseded(String id) {
      super(
          "A newer request goes on with upload %s, or ended it. Ask for its offset to go on"
              .formatted(id));
    }
  }

  /** The sender of bytes went away, or they could not be read. */
  public static final class BrokenOff extends UploadException {
    private static final long serialVersionUID = 1L;

    /**
     * @param status of the upload, with what came
     * @param isKept whether what came is kept; otherwise nothing of the request is
     */
    public BrokenOff(UploadStatus status, boolean isKept, IOException cause) {
      super(
          isKept
              ? "The request for upload %s broke off. What came is kept, %,d bytes in all: ask for its offset with HEAD, and go on there"
                  .formatted(status.id(), status.position())
              : "The request for upload %s broke off, and nothing of it is kept, as the whole has a checksum. Ask for the offset with HEAD, and send it again"
                  .formatted(status.id()),
          cause);
    }
  }

  /** The bytes of a request do not have the checksum that it announced; none of them is kept. */
  public static final class WrongChecksum extends UploadException {
    private static final long serialVersionUID = 1L;

    public WrongChecksum(String id, long position) {
      super(
          "The bytes for upload %s at %d do not have their checksum, and were dropped. Send them again"
              .formatted(id, position));
    }
  }

  /** There are as many unfinished uploads as there may be. */
  public static final class TooMany extends UploadException {
    private static final long serialVersionUID = 1L;

    public TooMany(int max, boolean isOfOwner) {
      super(
          "%s %d unfinished uploads, as many as there may be. End or finish one first"
              .formatted(isOfOwner ? "Your token has" : "The server has", max));
    }
  }

  /** The upload is complete: its artifact is there. */
  public static final class Complete extends UploadException {
    private static final long serialVersionUID = 1L;

    private final transient UnfinishedUpload upload;

    public Complete(UnfinishedUpload upload) {
      super(
          "Upload %s is complete, and %s is there. Begin a new upload to send other bytes"
              .formatted(upload.id(), upload.request().id()));
      this.upload = upload;
    }

    /** The upload, with its length. */
    public UnfinishedUpload upload() {
      return upload;
    }
  }
}
