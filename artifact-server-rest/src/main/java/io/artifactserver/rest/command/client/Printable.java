package io.artifactserver.rest.command.client;

/**
 * Text that a terminal shows and does not obey: names and messages may come from a server, or from
 * whoever named a file. Pure functions.
 */
public final class Printable {
  private Printable() {}

  /** A line with question marks for what moves the cursor, changes colours, or turns the text. */
  public static String of(String text) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints().forEach(c -> shown.appendCodePoint(isObeyed(c) ? '?' : c));
    return shown.toString();
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
