package io.artifactserver.storage.remote.journal;

import io.artifactserver.core.blob.BlobUpload;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.blob.UploadCheckpoint;
import io.artifactserver.core.file.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A folder with what uploads have sent to a remote store since their last checkpoints: when this
 * process dies, such a store has kept nothing of it, and this machine has. Thread-safe.
 */
public final class UploadJournals {
  private static final Logger LOGGER = LoggerFactory.getLogger(UploadJournals.class);

  private final Path folder;

  private UploadJournals(Path folder) {
    this.folder = folder;
  }

  /**
   * Uses a folder, which is made if it is not there.
   *
   * @throws StorageException if that is not possible
   */
  public static UploadJournals in(Path folder) throws StorageException {
    try {
      DurableFiles.createFolder(folder);
      return new UploadJournals(folder);
    } catch (IOException e) {
      throw new StorageException.StorageUnavailable(
          "remote",
          "its folder %s for journals of uploads cannot be used: %s".formatted(folder, e),
          e);
    }
  }

  /** An upload with a journal, which closes the other one. */
  public BlobUpload begun(BlobUpload upload) {
    return new JournaledUpload(upload, new UploadJournal(folder, upload.key(), false), 0, false);
  }

  /**
   * The same, for an upload that goes on.
   *
   * @param upload goes on from {@link #remote}
   * @param checkpoint as an upload with a journal returned it
   */
  public BlobUpload resumed(BlobUpload upload, UploadCheckpoint checkpoint) {
    boolean isRecoverable = JournaledUpload.State.parse(checkpoint.state()).isOfThisBoot();
    UploadJournal journal = new UploadJournal(folder, upload.key(), isRecoverable);
    return new JournaledUpload(upload, journal, checkpoint.length(), isRecoverable);
  }

  /**
   * The checkpoint of the upload itself.
   *
   * @throws IllegalArgumentException if it is none of an upload with a journal
   */
  public static UploadCheckpoint remote(UploadCheckpoint checkpoint) {
    return new UploadCheckpoint(
        checkpoint.key(),
        checkpoint.length(),
        JournaledUpload.State.parse(checkpoint.state()).remote(),
        checkpoint.mustRepeat());
  }

  /** Removes the journal of an upload that nobody will resume. */
  public void delete(String key) {
    new UploadJournal(folder, key, false).delete();
  }

  /**
   * Removes the journals of uploads that are over.
   *
   * @param resumable keys of the others
   */
  public void deleteAbandoned(Set<String> resumable) {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*.*")) {
      for (Path file : files) {
        String name = String.valueOf(file.getFileName());
        if (!resumable.contains(name.substring(0, name.indexOf('.')))) {
          UploadJournal.delete(file);
        }
      }
    } catch (IOException e) {
      LOGGER.warn("Cannot look for journals of uploads that are over", e);
    }
  }
}
