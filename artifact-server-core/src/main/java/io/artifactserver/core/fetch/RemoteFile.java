package io.artifactserver.core.fetch;

import java.io.Closeable;
import java.io.IOException;

/** A file on another server, from a position on. Used by one thread, but for {@link #close()}. */
public interface RemoteFile extends Closeable {
  /**
   * Length of the whole file in bytes, or {@link
   * io.artifactserver.core.ingest.IngestRequest#UNKNOWN_LENGTH}. No I/O.
   */
  long length();

  /** Names this version of the file; empty if its rest cannot be asked for. No I/O. */
  String validator();

  /**
   * Reads some bytes, at least one. Waits for them.
   *
   * @return how many, or -1 where the answer ends
   * @throws IOException if the connection breaks, or nothing comes for too long
   */
  int read(byte[] target, int offset, int length) throws IOException;

  /** Ends the answer, and a read that waits for it. May be called by any thread, and again. */
  @Override
  void close();
}
