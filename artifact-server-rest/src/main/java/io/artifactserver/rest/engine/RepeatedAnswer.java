package io.artifactserver.rest.engine;

import java.nio.ByteBuffer;

/** The answer to a {@link RepeatedRequest}. */
record RepeatedAnswer(Head head, RepeatedBody body) {
  /** What precedes the body. */
  @FunctionalInterface
  interface Head {
    /**
     * Writes it.
     *
     * @param date of the answer (RFC 9110, section 5.6.7)
     * @param into has room for {@link RepeatedRequest#MAX_HEAD} bytes
     */
    void put(String date, ByteBuffer into);
  }
}
