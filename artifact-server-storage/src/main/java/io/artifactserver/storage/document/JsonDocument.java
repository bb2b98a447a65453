package io.artifactserver.storage.document;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.artifactserver.core.attachment.BadDocumentException;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A document that is well-formed JSON: not too deep, and without two members of one name, of which
 * readers would each choose another. Used by one thread.
 */
final class JsonDocument {
  /** SBOMs nest components in components; six levels are many. */
  static final int MAX_DEPTH = 64;

  /** A document of 4 MB has some 300,000. */
  static final int MAX_TOKENS = 2_000_000;

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxTokenCount(MAX_TOKENS)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final byte[] content;
  private final JsonNode root;

  /**
   * @throws BadDocumentException if it is not well-formed
   */
  JsonDocument(byte[] content) throws BadDocumentException {
    this.content = content;
    try {
      this.root = MAPPER.readTree(content);
    } catch (JsonProcessingException e) {
      throw bad(e);
    } catch (IOException e) {
      throw new BadDocumentException(1, "It is no text in UTF-8");
    }
  }

  /** Its value. */
  JsonNode root() {
    return root;
  }

  /** Describes the fault at which a parser of JSON stopped. */
  static BadDocumentException bad(JsonProcessingException failure) {
    int line = failure.getLocation() == null ? 1 : failure.getLocation().getLineNr();
    return new BadDocumentException(Math.max(1, line), failure.getOriginalMessage());
  }

  /**
   * Returns the line on which a value begins; that of the next value around it, if there is no such
   * value.
   *
   * @param pointer as RFC 6901 has it
   */
  int line(String pointer) {
    int line = 1;
    int longest = 0;
    try (JsonParser parser = MAPPER.createParser(content)) {
      JsonToken token;
      while ((token = parser.nextToken()) != null) {
        String here = parser.getParsingContext().pathAsPointer().toString();
        if (token.isStructEnd() || here.length() <= longest) {
          continue;
        }
        if (pointer.equals(here) || pointer.startsWith(here + "/")) {
          longest = here.length();
          line = parser.currentTokenLocation().getLineNr();
        }
      }
    } catch (IOException e) {
      // The document was read before: what was found until here is true.
      return line;
    }
    return line;
  }

  /** Returns the line on which the first of these texts that is a string is one; 1 if none is. */
  int lineOf(List<String> texts) {
    Set<String> wanted = Set.copyOf(texts);
    Map<String, Integer> lines = new HashMap<>();
    try (JsonParser parser = MAPPER.createParser(content)) {
      JsonToken token;
      while ((token = parser.nextToken()) != null) {
        if (token == JsonToken.VALUE_STRING && wanted.contains(parser.getText())) {
          lines.putIfAbsent(parser.getText(), parser.currentTokenLocation().getLineNr());
        }
      }
    } catch (IOException e) {
      return 1;
    }
    return texts.stream().filter(lines::containsKey).map(lines::get).findFirst().orElse(1);
  }
}
