package io.artifactserver.core.access;

import io.artifactserver.core.catalog.ArtifactId;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The terms of a signed link: one artifact, a method and a time. Immutable.
 *
 * @param artifact the one artifact that the link opens
 * @param method HEAD allows HEAD only; GET allows both
 * @param expires first second since 1970 at which the link is no longer good
 * @param notBefore first second since 1970 at which the link is good; 0 for any
 * @param rate bytes per second that a download by this link may take; 0 for no limit
 * @param device whom the link was made for; empty if nobody in particular
 */
public record LinkTerms(
    ArtifactId artifact, Method method, long expires, long notBefore, long rate, String device) {
  /** Largest time, in seconds since 1970: eleven digits. */
  public static final long MAX_SECONDS = 99_999_999_999L;

  /** Largest rate: fifteen digits. */
  public static final long MAX_RATE = 999_999_999_999_999L;

  private static final Pattern DEVICE = Pattern.compile("[A-Za-z0-9._~:@-]{0,128}");

  /** The methods that a link's holder may use. */
  public enum Method {
    GET,
    HEAD;

    /** The method of that name, in any case. */
    public static Method of(String name) {
      return switch (name.toUpperCase(Locale.ROOT)) {
        case "GET" -> GET;
        case "HEAD" -> HEAD;
        default -> throw new IllegalArgumentException("A link's method is GET or HEAD");
      };
    }

    /** Whether a request with the method may use the link. */
    public boolean allows(String requestMethod) {
      return requestMethod.equals("HEAD") || (this == GET && requestMethod.equals("GET"));
    }
  }

  /**
   * @throws IllegalArgumentException if a time or the rate is out of bounds, or the device has
   *     characters that a query does not carry as they are; the message says which
   */
  public LinkTerms {
    if (expires < 1 || expires > MAX_SECONDS || notBefore < 0 || notBefore >= expires) {
      throw new IllegalArgumentException(
          "A link begins before it expires, at seconds since 1970 of at most eleven digits");
    }
    if (rate < 0 || rate > MAX_RATE) {
      throw new IllegalArgumentException(
          "A link's rate is 1 to %d bytes per second".formatted(MAX_RATE));
    }
    if (!DEVICE.matcher(device).matches()) {
      throw new IllegalArgumentException(
          "A link's device has at most 128 letters, digits and characters of \"._~:@-\"");
    }
  }

  /** The query up to the signature: these parameters, in this order, absent ones left out. */
  String query(String keyId) {
    StringBuilder query = new StringBuilder("as-method=").append(method);
    query.append("&as-expires=").append(expires);
    if (notBefore > 0) {
      query.append("&as-not-before=").append(notBefore);
    }
    if (rate > 0) {
      query.append("&as-rate=").append(rate);
    }
    if (!device.isEmpty()) {
      query.append("&as-device=").append(device);
    }
    return query.append("&as-key=").append(keyId).toString();
  }
}
