package io.artifactserver.core.hawkbit;

import io.artifactserver.core.blob.StorageException;

/**
 * Files of granted artifacts that are fetched from hawkBit and kept here. One that is arriving is
 * known, and can be served as far as it has come. Thread-safe.
 */
public interface PulledFiles extends GrantedFiles {
  /**
   * Begins an artifact's file, and makes room for it. Blocks on the disk.
   *
   * @throws StorageException.StorageUnavailable if it cannot be kept here, or is arriving already
   */
  Arrival begin(GrantedArtifact artifact) throws StorageException;
}
