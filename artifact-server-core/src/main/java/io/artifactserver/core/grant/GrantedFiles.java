package io.artifactserver.core.grant;

import io.artifactserver.core.blob.StorageException;
import java.util.Optional;

/** Finds the files of granted artifacts, and never changes one. Thread-safe. */
public interface GrantedFiles {
  /**
   * The file of an artifact if it was checked before. No I/O.
   *
   * @return empty if it is to be checked
   */
  Optional<GrantedFile> known(GrantedArtifact artifact);

  /**
   * Finds the artifact's file and reads all of it, unless that was done and the file is the same.
   * Blocks on the disk.
   *
   * @throws StorageException.BlobNotFound if there is no such file
   * @throws StorageException.StorageUnavailable if the file has another content, or cannot be read;
   *     the message says which, and what to do
   */
  GrantedFile check(GrantedArtifact artifact) throws StorageException;
}
