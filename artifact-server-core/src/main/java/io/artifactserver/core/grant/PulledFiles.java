package io.artifactserver.core.grant;

import io.artifactserver.core.blob.StorageException;

/** Files of granted artifacts that are fetched from hawkBit and kept here. Thread-safe. */
public interface PulledFiles extends GrantedFiles {
  /**
   * Whether a file is known while it arrives, and served as far as it has come. Then bytes leave
   * before the file was compared with its digest. Otherwise a file is known once it was.
   */
  boolean streams();

  /**
   * Begins an artifact's file, and makes room for it. Blocks on the disk.
   *
   * @throws StorageException.StorageUnavailable if it cannot be kept here, or is arriving already
   */
  Arrival begin(GrantedArtifact artifact) throws StorageException;
}
