package io.artifactserver.core.fetch;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/** The port to files on other servers. Thread-safe. */
public interface RemoteFiles {
  /**
   * Asks for a file, and waits for the head of the answer. The caller closes the file.
   *
   * @param position of the first byte that is asked for
   * @param validator of the file whose rest is asked for; empty at position 0
   * @param patience until the last byte: beyond it, reading fails
   * @throws RemoteRefusedException if it is of no use to ask again
   * @throws RemoteChangedException if the file is another one now, or no rest of it can be had
   * @throws IOException if it may help to ask again
   */
  RemoteFile open(URI url, long position, String validator, Duration patience) throws IOException;
}
