package io.artifactserver.rest.http;

import io.artifactserver.core.range.ByteRange;
import java.util.List;

/** The answer to a GET or HEAD of a representation that exists. Immutable. */
public sealed interface ResponsePlan {
  /** 200 with the whole representation; to a HEAD without its bytes. */
  record Whole() implements ResponsePlan {}

  /** 206 with one range (RFC 9110, section 15.3.7.1). */
  record Single(ByteRange range) implements ResponsePlan {}

  /**
   * 206 with several parts (RFC 9110, section 15.3.7.2).
   *
   * @param ranges in request order, at least two
   */
  record Multiple(List<ByteRange> ranges) implements ResponsePlan {}

  /** 304 (RFC 9110, section 15.4.5). */
  record NotModified() implements ResponsePlan {}

  /** 412 (RFC 9110, section 15.5.13). */
  record PreconditionFailed() implements ResponsePlan {}

  /** 416 (RFC 9110, section 15.5.17). */
  record RangeNotSatisfiable() implements ResponsePlan {}
}
