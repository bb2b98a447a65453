package io.artifactserver.rest.engine;

import io.artifactserver.core.range.ByteRange;
import java.nio.ByteBuffer;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of a connection that are, but for the range, one that was answered with 206
 * before. Called by the connection's thread: never blocks. Used by one connection.
 */
@FunctionalInterface
public interface RangeResponder {
  /**
   * Opens the body, if whatever decided the answer to the first request still holds.
   *
   * @param range within the representation
   * @return null if the request is to be handled as any other
   */
  @Nullable Body open(ByteRange range);

  /** A body that is in memory. Completed, with success or not, when nothing more of it is sent. */
  interface Body extends Callback {
    /** All of it. */
    ByteBuffer bytes();

    @Override
    default InvocationType getInvocationType() {
      return InvocationType.NON_BLOCKING;
    }
  }
}
