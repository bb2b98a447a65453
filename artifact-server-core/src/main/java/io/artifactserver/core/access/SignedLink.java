package io.artifactserver.core.access;

import io.artifactserver.core.access.LinkRefusedException.Reason;
import io.artifactserver.core.catalog.ArtifactId;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A link as a request carries it: an address, and a query with terms and a signature. {@code
 * docs/access.md} gives the signed text byte by byte. Immutable.
 */
public record SignedLink(LinkTerms terms, String keyId, String signature) {
  static final String SIGNATURE = "&as-signature=";

  /** Longest query that is read, in characters; ours has less than 400. */
  private static final int MAX_LENGTH = 2048;

  private static final Pattern QUERY =
      Pattern.compile(
          "as-method=(GET|HEAD)&as-expires=([1-9][0-9]{0,10})(?:&as-not-before=([1-9][0-9]{0,10}))?"
              + "(?:&as-rate=([1-9][0-9]{0,14}))?(?:&as-device=([A-Za-z0-9._~:@-]{1,128}))?"
              + "&as-key=([0-9a-f]{8})&as-signature=([A-Za-z0-9_-]{43})(&.*)?");

  /** Whether a query is meant to be a signed link's. */
  public static boolean isIn(String query) {
    return query.contains("as-signature=");
  }

  /**
   * Reads a request's query. Nothing in it is verified yet.
   *
   * @param artifact that the request's path names, decoded once
   * @param query as it was sent, still encoded
   * @param appendable names of parameters that may stand behind the signature
   */
  public static SignedLink parse(ArtifactId artifact, String query, Set<String> appendable)
      throws LinkRefusedException {
    Matcher matcher = QUERY.matcher(query);
    if (query.length() > MAX_LENGTH
        || !matcher.matches()
        || !isAllowed(matcher.group(8), appendable)) {
      throw new LinkRefusedException(Reason.MALFORMED);
    }
    try {
      @Nullable String device = matcher.group(5);
      LinkTerms terms =
          new LinkTerms(
              artifact,
              LinkTerms.Method.valueOf(matcher.group(1)),
              number(matcher.group(2)),
              number(matcher.group(3)),
              number(matcher.group(4)),
              device == null ? "" : device);
      return new SignedLink(terms, matcher.group(6), matcher.group(7));
    } catch (IllegalArgumentException e) {
      throw new LinkRefusedException(Reason.MALFORMED);
    }
  }

  private static boolean isAllowed(@Nullable String appended, Set<String> appendable) {
    if (appended == null) {
      return true;
    }
    for (String parameter : appended.substring(1).split("&", -1)) {
      int equals = parameter.indexOf('=');
      if (!appendable.contains(equals < 0 ? parameter : parameter.substring(0, equals))) {
        return false;
      }
    }
    return true;
  }

  private static long number(@Nullable String digits) {
    return digits == null ? 0 : Long.parseLong(digits);
  }
}
