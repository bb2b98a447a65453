package io.artifactserver.core.attachment;

import io.artifactserver.core.catalog.InvalidNameException;
import io.artifactserver.core.digest.Digest;
import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A document about the bytes of an artifact, without its content, which never changes. Immutable.
 *
 * @param sha256 of the content
 * @param kind what it says about the artifact
 * @param mediaType as its sender gave it
 * @param length of the content, in bytes
 * @param format that the content was read as, such as {@code CycloneDX 1.6}; empty if it was not
 *     read
 * @param labels for people and programs
 * @param createdAt when it was attached, cut to microseconds (PostgreSQL's resolution)
 */
public record Attachment(
    Digest sha256,
    AttachmentKind kind,
    String mediaType,
    int length,
    String format,
    Map<String, String> labels,
    Instant createdAt) {
  /** Most labels of an attachment. */
  public static final int MAX_LABELS = 16;

  /** Longest value of a label, in characters. */
  public static final int MAX_LABEL = 255;

  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,62}");

  /**
   * @throws InvalidNameException if there are too many labels, or one has another form
   */
  public Attachment {
    if (labels.size() > MAX_LABELS) {
      throw new InvalidNameException(
          "An attachment has at most %d labels, not %d".formatted(MAX_LABELS, labels.size()));
    }
    labels.forEach(Attachment::requireLabel);
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
  }

  private static void requireLabel(String key, String value) {
    if (!KEY.matcher(key).matches()) {
      throw new InvalidNameException(
          "A label's key has 1 to 63 ASCII letters, digits, '.', '_', '/' and '-', and begins with a"
              + " letter or digit");
    }
    if (value.length() > MAX_LABEL || value.chars().anyMatch(Character::isISOControl)) {
      throw new InvalidNameException(
          "The label \"%s\" must have at most %d characters, and no control characters"
              .formatted(key, MAX_LABEL));
    }
  }
}
