package io.artifactserver.core.catalog;

import java.nio.charset.StandardCharsets;

/**
 * Where an artifact is found: a repository and a path in it. The path is a name, never a file
 * system's path. Immutable.
 *
 * @param repository the repository's name
 * @param path segments separated by {@code /}, decoded; at most {@value #MAX_PATH_LENGTH} bytes of
 *     UTF-8
 */
public record ArtifactId(String repository, String path) {
  /** Longest path in bytes of UTF-8. */
  public static final int MAX_PATH_LENGTH = 1024;

  /**
   * @throws InvalidNameException if the repository's name is not one, or the path is empty, too
   *     long, not well-formed Unicode, has a control character or a backslash, or an empty, {@code
   *     .} or {@code ..} segment
   */
  public ArtifactId {
    Repository.requireName(repository);
    requirePath(path);
  }

  /** The last segment of the path. */
  public String fileName() {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  @Override
  public String toString() {
    return repository + "/" + path;
  }

  private static void requirePath(String path) {
    int segmentStart = 0;
    for (int i = 0; i <= path.length(); i++) {
      if (i == path.length() || path.charAt(i) == '/') {
        requireSegment(path, segmentStart, i);
        segmentStart = i + 1;
      } else {
        i += requireCharacter(path, i);
      }
    }
    // A char is at most three bytes of UTF-8, so most paths need no encoding to be measured.
    if (path.length() * 3 > MAX_PATH_LENGTH
        && path.getBytes(StandardCharsets.UTF_8).length > MAX_PATH_LENGTH) {
      throw new InvalidNameException(
          "An artifact's path must have at most %d bytes of UTF-8".formatted(MAX_PATH_LENGTH));
    }
  }

  private static void requireSegment(String path, int start, int end) {
    int length = end - start;
    if (length == 0) {
      throw new InvalidNameException(
          "An artifact's path has no empty segment: it neither begins nor ends with '/' and has no"
              + " '//'");
    }
    if (path.charAt(start) == '.'
        && (length == 1 || (length == 2 && path.charAt(start + 1) == '.'))) {
      throw new InvalidNameException("An artifact's path must not have a '.' or '..' segment");
    }
  }

  /** Returns how many further chars belong to the character at {@code i}. */
  private static int requireCharacter(String path, int i) {
    char c = path.charAt(i);
    if (Character.isISOControl(c) || c == '\\') {
      throw new InvalidNameException(
          "An artifact's path must not have control characters or backslashes; character %d is U+%04X"
              .formatted(i + 1, (int) c));
    }
    if (!Character.isSurrogate(c)) {
      return 0;
    }
    if (!Character.isHighSurrogate(c)
        || i + 1 == path.length()
        || !Character.isLowSurrogate(path.charAt(i + 1))) {
      throw new InvalidNameException(
          "An artifact's path must be well-formed Unicode; character %d is half a surrogate pair"
              .formatted(i + 1));
    }
    return 1;
  }
}
