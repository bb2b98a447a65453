package io.artifactserver.core.catalog;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What somebody says of a device or a document in a form that programs compare: keys with values,
 * such as {@code ring=canary}. Immutable.
 *
 * @param values by key, in the order of the keys
 */
public record Labels(SortedMap<String, String> values) {
  /** No label. */
  public static final Labels NONE = new Labels(new TreeMap<>());

  /** Most labels. */
  public static final int MAX_LABELS = 16;

  /** Longest value, in characters. */
  public static final int MAX_VALUE_LENGTH = 255;

  private static final Pattern KEY = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,62}");
  private static final char SEPARATOR = '=';

  /**
   * @throws InvalidNameException if there are too many, or one is not of its form
   */
  public Labels {
    values = Collections.unmodifiableSortedMap(new TreeMap<>(values));
    if (values.size() > MAX_LABELS) {
      throw new InvalidNameException("There are at most %d labels".formatted(MAX_LABELS));
    }
    values.forEach(Labels::require);
  }

  /**
   * The labels that somebody sent.
   *
   * @throws InvalidNameException if there are too many, or one is not of its form
   */
  public static Labels of(Map<String, @Nullable String> values) {
    SortedMap<String, String> copy = new TreeMap<>();
    values.forEach((key, value) -> {
      if (value == null) {
        throw new InvalidNameException("The label \"%s\" has no value".formatted(key));
      }
      copy.put(key, value);
    });
    return new Labels(copy);
  }

  /**
   * Reads what {@link #texts} returned.
   *
   * @throws InvalidNameException if it is something else
   */
  public static Labels parse(List<String> texts) {
    SortedMap<String, String> values = new TreeMap<>();
    for (String text : texts) {
      int separator = text.indexOf(SEPARATOR);
      if (separator < 0) {
        throw new InvalidNameException("A label is KEY=VALUE, not \"%s\"".formatted(text));
      }
      values.put(text.substring(0, separator), text.substring(separator + 1));
    }
    return new Labels(values);
  }

  private static void require(String key, String value) {
    if (!KEY.matcher(key).matches()) {
      throw new InvalidNameException(
          "The key of a label is 1 to 63 ASCII letters, digits, '.', '_', '/' and '-', and begins with a letter or digit, unlike \"%s\""
              .formatted(key));
    }
    if (value.length() > MAX_VALUE_LENGTH || value.chars().anyMatch(Character::isISOControl)) {
      throw new InvalidNameException(
          "The value of the label \"%s\" is at most %d characters, and no control characters"
              .formatted(key, MAX_VALUE_LENGTH));
    }
  }

  /** Each as {@code KEY=VALUE}, in the order of the keys. */
  public List<String> texts() {
    return values.entrySet().stream()
        .map(label -> label.getKey() + SEPARATOR + label.getValue())
        .toList();
  }

  /** Whether there are none. */
  public boolean isEmpty() {
    return values.isEmpty();
  }

  /** Whether all of the others are among these. */
  public boolean include(Labels others) {
    return values.entrySet().containsAll(others.values.entrySet());
  }
}
