package io.artifactserver.storage.remote.window;

import io.artifactserver.core.blob.StorageException;
import java.nio.ByteBuffer;

/** Sends the parts of one upload to a remote backend. Thread-safe: many parts are sent at once. */
@FunctionalInterface
public interface PartSink {
  /**
   * Sends one part. Blocks; called on a virtual thread. Gives up at once when its thread is
   * interrupted. Once it has returned or thrown, nobody touches the buffer any more.
   *
   * @param number of the part, from 1
   * @param part its bytes, in a heap buffer
   * @throws StorageException if the backend did not take them; classified as usual
   */
  void send(int number, ByteBuffer part) throws StorageException;
}
