package io.artifactserver.rest.server.engine;

import org.eclipse.jetty.http.HttpFields;
import org.jspecify.annotations.Nullable;

/** Answers requests that differ in a part of the target from one that was answered with 200. */
public non-sealed interface TargetResponder extends Responder {
  /** The end of the target of the request that is being answered, as it was sent. */
  String end();

  /**
   * Opens the answer.
   *
   * @param end of another request's target; of the same length, and ASCII
   * @return null if the request is to be handled as any other
   */
  @Nullable Found open(String end);

  /**
   * What there is at a target.
   *
   * @param fields of the answer, but for Date
   */
  record Found(HttpFields fields, RepeatedBody body) {}
}
