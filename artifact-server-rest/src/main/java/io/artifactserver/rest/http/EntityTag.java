package io.artifactserver.rest.http;

import io.artifactserver.core.digest.Digest;

/**
 * An entity tag (RFC 9110, section 8.8.3). Ours are strong and are the SHA-256 digest of the plain
 * bytes. Immutable.
 *
 * @param weak whether it is only good for weak comparison
 * @param opaqueTag between the quotes
 */
public record EntityTag(boolean weak, String opaqueTag) {
  /** The tag of a representation with this digest. */
  public static EntityTag of(Digest digest) {
    return new EntityTag(false, digest.hex());
  }

  /** As it stands in a field. */
  @Override
  public String toString() {
    return (weak ? "W/\"" : "\"") + opaqueTag + '"';
  }

  /** How two tags are compared (RFC 9110, section 8.8.3.2). */
  public enum Comparison {
    /** Both strong and the same. */
    STRONG,
    /** The same, weak or not. */
    WEAK
  }

  /**
   * Whether a list of entity tags, as in If-Match and If-None-Match, has one that matches this tag.
   * {@code *} matches every tag. Members that are not entity tags match nothing. Linear time.
   */
  public boolean matchesAnyOf(String list, Comparison comparison) {
    if (list.strip().equals("*")) {
      return true;
    }
    int i = 0;
    while (i < list.length()) {
      char c = list.charAt(i);
      if (c == ',' || c == ' ' || c == '\t') {
        i++;
        continue;
      }
      boolean memberIsWeak = list.startsWith("W/\"", i);
      int opening = memberIsWeak ? i + 2 : i;
      int closing = list.charAt(opening) == '"' ? list.indexOf('"', opening + 1) : -1;
      if (closing < 0 || !endsMember(list, closing + 1)) {
        // Not an entity tag: go on behind the next comma.
        int comma = list.indexOf(',', Math.max(i, closing));
        i = comma < 0 ? list.length() : comma;
        continue;
      }
      if (matches(list, opening + 1, closing, memberIsWeak, comparison)) {
        return true;
      }
      i = closing + 1;
    }
    return false;
  }

  /** Whether {@code text} is one entity tag that matches this one strongly, as If-Range asks. */
  public boolean matchesStrongly(String text) {
    int last = text.length() - 1;
    return last >= 1
        && text.charAt(0) == '"'
        && text.indexOf('"', 1) == last
        && matches(text, 1, last, false, Comparison.STRONG);
  }

  private boolean matches(
      String text, int start, int end, boolean otherIsWeak, Comparison comparison) {
    return (comparison == Comparison.WEAK || (!weak && !otherIsWeak))
        && end - start == opaqueTag.length()
        && text.startsWith(opaqueTag, start);
  }

  private static boolean endsMember(String list, int i) {
    int next = i;
    while (next < list.length() && (list.charAt(next) == ' ' || list.charAt(next) == '\t')) {
      next++;
    }
    return next == list.length() || list.charAt(next) == ',';
  }
}
