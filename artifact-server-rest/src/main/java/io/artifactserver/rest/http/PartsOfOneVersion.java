package io.artifactserver.rest.http;

import java.util.Optional;

/**
 * Decides which ranges may be answered at an address that gets other bytes one day, so that no
 * client puts bytes of two versions together. Pure functions.
 *
 * <p>A client that goes on with what it has must name the version: with an entity tag in If-Range
 * or If-Match. A date is not enough, as two versions may have been made in the same second (RFC
 * 9110, section 8.8.2.2). Other ranges are ignored, as a server may (section 14.2), and the whole
 * is sent.
 */
public final class PartsOfOneVersion {
  private static final String FROM_THE_FIRST_BYTE = "bytes=0-";

  private PartsOfOneVersion() {}

  /** Whether a range that is asked for can be answered with a part. */
  public static boolean allowRange(RequestFields fields) {
    return isNamed(fields) || fields.value("Range").filter(PartsOfOneVersion::begins).isPresent();
  }

  /** Whether the request names the version that it is about. */
  public static boolean isNamed(RequestFields fields) {
    Optional<String> ifRange = fields.value("If-Range");
    return fields.value("If-Match").filter(tags -> !tags.strip().equals("*")).isPresent()
        || ifRange.filter(tag -> tag.startsWith("\"")).isPresent();
  }

  /** Whether a client begins with it, and goes on with nothing. */
  private static boolean begins(String range) {
    return range.regionMatches(true, 0, FROM_THE_FIRST_BYTE, 0, FROM_THE_FIRST_BYTE.length())
        && range.indexOf(',') < 0;
  }
}
