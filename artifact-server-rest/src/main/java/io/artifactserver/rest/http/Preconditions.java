package io.artifactserver.rest.http;

import io.artifactserver.rest.http.EntityTag.Comparison;
import java.time.Instant;
import java.util.Optional;

/** The precondition fields of a GET or HEAD (RFC 9110, section 13), in the order of 13.2.2. */
final class Preconditions {
  /** Where a request goes on. */
  enum Outcome {
    PROCEED,
    NOT_MODIFIED,
    FAILED
  }

  private Preconditions() {}

  static Outcome evaluate(RequestFields fields, Representation representation, Instant now) {
    EntityTag entityTag = representation.entityTag();
    Optional<String> ifMatch = fields.value("If-Match");
    if (ifMatch.isPresent()) {
      if (!entityTag.matchesAnyOf(ifMatch.get(), Comparison.STRONG)) {
        return Outcome.FAILED;
      }
    } else if (modifiedSince(fields.value("If-Unmodified-Since"), representation, now)
        .orElse(false)) {
      return Outcome.FAILED;
    }
    Optional<String> ifNoneMatch = fields.value("If-None-Match");
    if (ifNoneMatch.isPresent()) {
      return entityTag.matchesAnyOf(ifNoneMatch.get(), Comparison.WEAK)
          ? Outcome.NOT_MODIFIED
          : Outcome.PROCEED;
    }
    return modifiedSince(fields.value("If-Modified-Since"), representation, now).orElse(true)
        ? Outcome.PROCEED
        : Outcome.NOT_MODIFIED;
  }

  /** Whether Range is to be obeyed as far as If-Range goes (section 13.1.5). */
  static boolean ifRangeHolds(String ifRange, Representation representation, Instant now) {
    if (ifRange.startsWith("\"") || ifRange.startsWith("W/")) {
      return representation.entityTag().matchesStrongly(ifRange);
    }
    // An exact match, not an order: a device that kept an older date has other bytes.
    return HttpDate.parse(ifRange, now)
        .map(date -> date.equals(representation.lastModified()))
        .orElse(false);
  }

  /** Empty if the field is absent or no date, and so is ignored (sections 13.1.3 and 13.1.4). */
  private static Optional<Boolean> modifiedSince(
      Optional<String> field, Representation representation, Instant now) {
    return field
        .flatMap(value -> HttpDate.parse(value, now))
        .map(date -> representation.lastModified().isAfter(date));
  }
}
