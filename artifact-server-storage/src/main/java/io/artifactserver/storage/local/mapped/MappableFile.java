package io.artifactserver.storage.local.mapped;

import io.artifactserver.core.blob.StorageException;
import java.io.IOException;
import java.nio.channels.FileChannel;

/** A file that can be opened for mapping. */
public interface MappableFile {
  /**
   * Opens the file for reading and checks it. I/O. The caller closes the channel.
   *
   * @throws StorageException if the file is missing, damaged or cannot be opened
   */
  FileChannel openForMapping() throws StorageException;

  /** Returns the failure to throw if the open file cannot be mapped. */
  StorageException unavailable(IOException cause);

  /** The mapping is gone, and the channel closed. */
  default void unmapped() {}
}
