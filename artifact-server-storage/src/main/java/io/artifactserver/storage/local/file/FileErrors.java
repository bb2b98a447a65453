package io.artifactserver.storage.local.file;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.StorageException.BlobNotFound;
import io.artifactserver.core.blob.StorageException.StorageFull;
import io.artifactserver.core.blob.StorageException.StorageUnavailable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Tells what a file system's error means. Thread-safe. */
record FileErrors(Path root) {
  /** Less than this left, and a write failed for want of room, whatever language said so. */
  private static final long ROOM_LEFT = 64 * 1024;

  StorageException ofBlob(BlobRef ref, String action, IOException e) {
    return e instanceof NoSuchFileException
        ? new BlobNotFound(FileBlobStore.NAME, ref, e)
        : new StorageUnavailable(
            FileBlobStore.NAME, "cannot %s blob %s: %s".formatted(action, ref.key(), e), e);
  }

  StorageException ofUpload(String key, long position, IOException e) {
    return ofWrite("upload %s broke off at byte %d: %s".formatted(key, position, e), e);
  }

  StorageException ofStore(String action, IOException e) {
    return ofWrite("cannot %s in %s: %s".formatted(action, root, e), e);
  }

  private StorageException ofWrite(String detail, IOException e) {
    return isForWantOfRoom(e)
        ? new StorageFull(FileBlobStore.NAME, detail, e)
        : new StorageUnavailable(FileBlobStore.NAME, detail, e);
  }

  /**
   * Java passes on ENOSPC and EDQUOT as the C library's words only, and those follow the locale.
   * The room that is left speaks every language, but knows no quota.
   */
  private boolean isForWantOfRoom(IOException e) {
    String message = String.valueOf(e.getMessage());
    if (message.contains("No space left on device") || message.contains("Disk quota exceeded")) {
      return true;
    }
    try {
      return Files.getFileStore(root).getUsableSpace() < ROOM_LEFT;
    } catch (IOException _) {
      return false;
    }
  }
}
