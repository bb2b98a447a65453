package io.artifactserver.benchmarks.load;

/**
 * A request, and the answer that must come.
 *
 * @param path of another resource than the target; empty for the target
 * @param fields lines that only this request has
 * @param span of the content that is the answer's body
 * @param isWhole whether that is the whole resource, which is a 200 and not a 206
 * @param status of an answer whose body does not matter; empty if it does
 */
record Request(String path, String fields, ByteSpan span, boolean isWhole, String status) {
  Request(String path, String fields, ByteSpan span, boolean isWhole) {
    this(path, fields, span, isWhole, "");
  }

  /** A question whose answer is a status. */
  static Request poll(String path, String fields, String status) {
    return new Request(path, fields, new ByteSpan(0, 0), true, status);
  }

  boolean isPoll() {
    return !status.isEmpty();
  }

  static Request range(ByteSpan span) {
    return new Request(
        "", "Range: bytes=" + span.position() + "-" + (span.end() - 1) + "\r\n", span, false);
  }

  /**
   * As clients resume: to the end, whatever that is.
   *
   * @param entityTag for If-Range; a weak one may not be used there (RFC 9110, section 13.1.5)
   */
  static Request rest(ByteSpan span, String entityTag) {
    return entityTag.isEmpty() || entityTag.startsWith("W/")
        ? range(span)
        : new Request(
            "",
            "Range: bytes=" + span.position() + "-\r\nIf-Range: " + entityTag + "\r\n",
            span,
            false);
  }

  static Request whole(Content content) {
    return new Request("", "", new ByteSpan(0, content.length()), true);
  }
}
