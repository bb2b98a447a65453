package io.artifactserver.rest.app;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.deser.jdk.StringDeserializer;

/** Texts of requests, without the one character that PostgreSQL does not keep. Thread-safe. */
final class StorableText extends StringDeserializer {
  @Override
  public String deserialize(JsonParser parser, DeserializationContext context) {
    String text = super.deserialize(parser, context);
    return text != null && text.indexOf('\0') >= 0
        ? (String)
            context.handleWeirdStringValue(
                String.class, text.replace('\0', '?'), "the character U+0000 is not allowed")
        : text;
  }
}
