package io.artifactserver.rest.http;

import io.artifactserver.core.range.ByteRange;

/** Values of the Content-Range field (RFC 9110, section 14.4): inclusive ends, as on the wire. */
public final class ContentRange {
  private ContentRange() {}

  /**
   * The range of a 206, {@code bytes 0-3/100}.
   *
   * @param range not empty
   * @param completeLength of the representation in bytes
   */
  public static String of(ByteRange range, long completeLength) {
    return "bytes " + range.position() + '-' + (range.end() - 1) + '/' + completeLength;
  }

  /** The complete length of a 416, {@code bytes *}{@code /100}. */
  public static String unsatisfied(long completeLength) {
    return "bytes */" + completeLength;
  }
}
