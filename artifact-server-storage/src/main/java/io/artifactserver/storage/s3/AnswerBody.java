package io.artifactserver.storage.s3;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * The body of an answer, and with it the connection on which it comes. Used by one thread at a
 * time. To be ended with {@link #finish} or {@link #abort}.
 */
interface AnswerBody {
  /**
   * Waits for some bytes, and puts them into the target.
   *
   * @param maxLength in bytes, at most what the target has room for
   * @return how many came; -1 at the end
   */
  int read(ByteBuffer target, int maxLength) throws IOException;

  /**
   * Gives the connection back for the next request.
   *
   * @throws IOException if the body is not at its end
   */
  void finish() throws IOException;

  /** Gives up the rest of the body, and the connection with it. */
  void abort();
}
