package io.artifactserver.rest.command.client;

import java.lang.Character.UnicodeScript;
import java.util.EnumSet;
import java.util.Set;

/**
 * Text that a terminal shows and does not obey: names and messages may come from a server, or from
 * whoever named a file. Pure functions.
 */
public final class Printable {
  private static final Set<UnicodeScript> WIDE =
      EnumSet.of(
          UnicodeScript.HAN, UnicodeScript.HIRAGANA, UnicodeScript.KATAKANA, UnicodeScript.HANGUL);

  private Printable() {}

  /** A line with question marks for what moves the cursor, changes colours, or turns the text. */
  public static String of(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(c -> shown.appendCodePoint(isObeyed(c) ? '?' : c));
    return shown.toString();
  }

  /** How many columns of a terminal a line takes. */
  static int columns(String text) {
    return text.codePoints().map(Printable::columns).sum();
  }

  /** As much of the beginning of a line as so many columns hold. */
  static String cut(String text, int columns) {
    int end = 0;
    int left = columns;
    while (end < text.length()) {
      int next = text.codePointAt(end);
      left -= columns(next);
      if (left < 0) {
        break;
      }
      end += Character.charCount(next);
    }
    return text.substring(0, end);
  }

  /** East Asian signs and pictures are as wide as two letters. */
  private static int columns(int character) {
    int type = Character.getType(character);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    boolean isFullWidth = character >= 0xff01 && character <= 0xff60;
    return isFullWidth
            || Character.isIdeographic(character)
            || Character.isEmojiPresentation(character)
            || WIDE.contains(UnicodeScript.of(character))
        ? 2
        : 1;
  }

  /** The same JSON, with escapes for such characters. */
  static String json(String json) {
    StringBuilder escaped = new StringBuilder(json.length());
    json.chars()
        .forEach(c -> {
          if (isObeyed(c) && !Character.isSurrogate((char) c)) {
            escaped.append("\\u%04x".formatted(c));
          } else {
            escaped.append((char) c);
          }
        });
    return escaped.toString();
  }

  private static boolean isObeyed(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
