package io.artifactserver.core.blob;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A backend did not do what was asked. The message names the backend, the key and the range. A
 * foreign exception is classified where it is caught, nowhere else.
 */
public abstract sealed class StorageException extends IOException {
  private static final long serialVersionUID = 1L;

  private StorageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The backend answered, and does not have the bytes that were stored. Not worth a retry. */
  public abstract static sealed class BlobLost extends StorageException {
    private static final long serialVersionUID = 1L;

    private final transient BlobRef ref;

    private BlobLost(BlobRef ref, String message, @Nullable Throwable cause) {
      super(message, cause);
      this.ref = ref;
    }

    /** The blob whose bytes are lost. */
    public BlobRef ref() {
      return ref;
    }
  }

  /** The backend has no such blob. */
  public static final class BlobNotFound extends BlobLost {
    private static final long serialVersionUID = 1L;

    public BlobNotFound(String backend, BlobRef ref, @Nullable Throwable cause) {
      super(ref, "Blob %s is not in the %s store".formatted(ref.key(), backend), cause);
    }
  }

  /** The backend has the blob, but not the bytes that were stored. */
  public static final class BlobCorrupt extends BlobLost {
    private static final long serialVersionUID = 1L;

    public BlobCorrupt(String backend, BlobRef ref, String detail, @Nullable Throwable cause) {
      super(
          ref,
          "Blob %s in the %s store is damaged: %s".formatted(ref.key(), backend, detail),
          cause);
    }
  }

  /** The backend has no room left for an upload. Worth a retry when room was made. */
  public static final class StorageFull extends StorageException {
    private static final long serialVersionUID = 1L;

    public StorageFull(String backend, String detail, @Nullable Throwable cause) {
      super("The %s store is full: %s".formatted(backend, detail), cause);
    }
  }

  /** The backend could not be asked. Worth a retry later. */
  public static final class StorageUnavailable extends StorageException {
    private static final long serialVersionUID = 1L;

    public StorageUnavailable(String backend, String detail, @Nullable Throwable cause) {
      super("The %s store is unavailable: %s".formatted(backend, detail), cause);
    }
  }
}
