package io.artifactserver.rest.http;

import io.artifactserver.rest.http.ResponsePlan.Multiple;
import io.artifactserver.rest.http.ResponsePlan.NotModified;
import io.artifactserver.rest.http.ResponsePlan.PreconditionFailed;
import io.artifactserver.rest.http.ResponsePlan.RangeNotSatisfiable;
import io.artifactserver.rest.http.ResponsePlan.Single;
import io.artifactserver.rest.http.ResponsePlan.Whole;
import java.time.Instant;
import java.util.Optional;

/**
 * Decides how a GET or HEAD is answered: preconditions in the order of RFC 9110, section 13.2.2,
 * then the ranges of section 14.2. A pure function; opens nothing.
 */
public final class ResponsePlanner {
  private static final Whole WHOLE = new Whole();
  private static final NotModified NOT_MODIFIED = new NotModified();
  private static final PreconditionFailed PRECONDITION_FAILED = new PreconditionFailed();
  private static final RangeNotSatisfiable RANGE_NOT_SATISFIABLE = new RangeNotSatisfiable();

  private ResponsePlanner() {}

  /**
   * Plans the answer.
   *
   * @param method {@code GET} or {@code HEAD}
   * @param fields of the request
   * @param representation that the target has
   * @param now decides the century of two-digit years, nothing else
   */
  public static ResponsePlan plan(
      String method, RequestFields fields, Representation representation, Instant now) {
    return switch (Preconditions.evaluate(fields, representation, now)) {
      case FAILED -> PRECONDITION_FAILED;
      case NOT_MODIFIED -> NOT_MODIFIED;
      case PROCEED -> method.equals("GET") ? planBody(fields, representation, now) : WHOLE;
    };
  }

  private static ResponsePlan planBody(
      RequestFields fields, Representation representation, Instant now) {
    Optional<String> range = fields.value("Range");
    if (range.isEmpty()) {
      return WHOLE;
    }
    Optional<String> ifRange = fields.value("If-Range");
    if (ifRange.isPresent() && !Preconditions.ifRangeHolds(ifRange.get(), representation, now)) {
      return WHOLE;
    }
    return switch (RangeHeader.parse(range.get(), representation.length())) {
      case RangeHeader.Ignored _ -> WHOLE;
      case RangeHeader.Refused _ -> RANGE_NOT_SATISFIABLE;
      case RangeHeader.Satisfiable satisfiable ->
          satisfiable.ranges().size() == 1
              ? new Single(satisfiable.ranges().getFirst())
              : new Multiple(satisfiable.ranges());
    };
  }
}
