package io.artifactserver.core.lint;

import io.artifactserver.core.blob.BlobRef;
import java.util.List;

/** Looks for what makes an artifact a bad update, though it is a good file. Thread-safe. */
public interface ArtifactLint {
  /**
   * Returns what devices will miss, in sentences; empty if nothing was found, or the bytes could
   * not be read. Reads a bounded number of bytes of the blob, and may block.
   */
  List<String> warnings(BlobRef blob);
}
