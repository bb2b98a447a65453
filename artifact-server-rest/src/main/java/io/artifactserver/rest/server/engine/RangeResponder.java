package io.artifactserver.rest.server.engine;

import io.artifactserver.core.range.ByteRange;
import org.jspecify.annotations.Nullable;

/** Answers requests that differ in the range from one that was answered with 206. */
@FunctionalInterface
public non-sealed interface RangeResponder extends Responder {
  /**
   * Opens the body, if whatever decided the answer to the first request still holds.
   *
   * @param range within the representation
   * @return null if the request is to be handled as any other
   */
  @Nullable RepeatedBody open(ByteRange range);
}
