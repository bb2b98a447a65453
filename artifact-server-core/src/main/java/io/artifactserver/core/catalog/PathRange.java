package io.artifactserver.core.catalog;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/**
 * Paths that follow each other in the order of their code points. Immutable.
 *
 * @param begin the first path that may be in it
 * @param end the first text behind it
 */
public record PathRange(String begin, String end) {
  /** UTF-8 sorts as code points do; UTF-16 does not, beyond the basic plane. */
  public static final Comparator<String> BY_CODE_POINT =
      (left, right) ->
          Arrays.compareUnsigned(
              left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));

  /** By their beginnings; a range comes before what it contains. */
  public static final Comparator<PathRange> BY_BEGIN =
      Comparator.comparing(PathRange::begin, BY_CODE_POINT)
          .thenComparing(PathRange::end, BY_CODE_POINT.reversed());

  /** Behind every path: one more of the last code point than a path can have. */
  static final String END =
      Character.toString(Character.MAX_CODE_POINT).repeat(ArtifactId.MAX_PATH_LENGTH / 4 + 1);

  /** The least text behind a path that is not the path: no path has control characters. */
  private static final String NEXT = "\u0001";

  /**
   * @throws InvalidNameException if {@code begin} is no text that paths can have
   */
  public PathRange {
    requireText(begin);
  }

  /** The paths that begin with a prefix; all, if it is empty. */
  public static PathRange beginningWith(String prefix) {
    return new PathRange(prefix, successor(prefix));
  }

  /** One path. */
  public static PathRange only(String path) {
    return new PathRange(path, path + NEXT);
  }

  /** The paths that are in both ranges; empty if none can be. */
  public Optional<PathRange> and(PathRange other) {
    String later = BY_CODE_POINT.compare(begin, other.begin) < 0 ? other.begin : begin;
    String earlier = BY_CODE_POINT.compare(end, other.end) < 0 ? end : other.end;
    return BY_CODE_POINT.compare(later, earlier) < 0
        ? Optional.of(new PathRange(later, earlier))
        : Optional.empty();
  }

  /** Whether the path is in it. */
  public boolean includes(String path) {
    return BY_CODE_POINT.compare(begin, path) <= 0 && BY_CODE_POINT.compare(path, end) < 0;
  }

  /** The first text behind all that begin with {@code prefix}. */
  private static String successor(String prefix) {
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
  public static void requireText(String text) {
    for (int i = 0; i < text.length(); ) {
      int codePoint = text.codePointAt(i);
      if (codePoint == 0
          || (codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE)) {
        throw new InvalidNameException(
            "A path prefix must be well-formed Unicode; character %d is U+%04X"
                .formatted(i + 1, codePoint));
      }
      i += Character.charCount(codePoint);
    }
  }
}
