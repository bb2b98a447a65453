package io.artifactserver.rest.server.engine;

import io.artifactserver.core.range.ByteRange;
import org.jspecify.annotations.Nullable;

/**
 * Answers the requests of a connection that differ in the range from one that was answered with
 * 206. Called by the connection's thread: never blocks. Used by one connection.
 */
@FunctionalInterface
public interface RangeResponder {
  /**
   * Opens the body, if whatever decided the answer to the first request still holds.
   *
   * @param range within the representation
   * @return null if the request is to be handled as any other
   */
  @Nullable RepeatedBody open(ByteRange range);
}
