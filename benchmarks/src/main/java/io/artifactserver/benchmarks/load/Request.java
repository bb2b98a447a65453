package io.artifactserver.benchmarks.load;

/**
 * A request, and the answer that must come.
 *
 * @param path of another resource than the target; empty for the target
 * @param fields lines that only this request has
 * @param span of the content that is the answer's body
 * @param isWhole whether that is the whole resource, which is a 200 and not a 206
 */
record Request(String path, String fields, ByteSpan span, boolean isWhole) {

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
