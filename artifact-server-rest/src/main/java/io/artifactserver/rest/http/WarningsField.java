package io.artifactserver.rest.http;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The field {@value #NAME} of an answer that has no body: sentences about an artifact that was just
 * uploaded, as a list of strings (RFC 9651, section 3.1). Pure functions.
 */
public final class WarningsField {
  /** The name of the field. */
  public static final String NAME = "Artifact-Warnings";

  private static final Pattern STRING = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*+)\"");

  private WarningsField() {}

  /** Returns the field's value. Strings are ASCII (section 3.3.3): others become question marks. */
  public static String of(List<String> sentences) {
    return sentences.stream()
        .map(sentence ->
            '"'
                + sentence
                    .replaceAll("[^\\x20-\\x7e]", "?")
                    .replace("\\", "\\\\")
                    .replace("\"", "\\\"")
                + '"')
        .collect(Collectors.joining(", "));
  }

  /** Returns the sentences of a field's value; none of one that has another form. */
  public static List<String> parse(String value) {
    return STRING
        .matcher(value)
        .results()
        .map(string -> string.group(1).replaceAll("\\\\(.)", "$1"))
        .toList();
  }
}
