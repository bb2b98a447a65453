package io.artifactserver.storage.catalog;

import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.InvalidNameException;

/** The paths that begin with a prefix, as a range in the order of code points. */
final class PathRange {
  /** Behind every path: one more of the last code point than a path can have. */
  static final String END =
      Character.toString(Character.MAX_CODE_POINT).repeat(ArtifactId.MAX_PATH_LENGTH / 4 + 1);

  private PathRange() {}

  /** The first text behind all that begin with {@code prefix}. */
  static String successor(String prefix) {
    int end = prefix.length();
    while (end > 0) {
      int last = prefix.codePointBefore(end);
      end -= Character.charCount(last);
      if (last != Character.MAX_CODE_POINT) {
        // Surrogates are no code points of UTF-8 text.
        int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
        return prefix.substring(0, end) + Character.toString(next);
      }
    }
    return END;
  }

  /**
   * @throws InvalidNameException if PostgreSQL cannot take the text, so that no path has it
   */
  static void requireText(String text) {
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      if (codePoint == 0
          || (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE)) {
        throw new InvalidNameException(
            "A part of a path is well-formed Unicode; character %d is U+%04X"
                .formatted(i + 1, codePoint));
      }
      i += Character.charCount(codePoint);
    }
  }
}
