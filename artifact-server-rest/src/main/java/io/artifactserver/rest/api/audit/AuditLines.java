package io.artifactserver.rest.api.audit;

import io.artifactserver.core.audit.AuditRecord;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Entries of the audit as JSON lines. An entry stands in its line as a string, so that its digest
 * can be computed from exactly these characters. Pure functions.
 */
final class AuditLines {
  /** Every field has to be there. */
  private static final JsonMapper COMPLETE =
      JsonMapper.builder()
          .enable(
              DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
              DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .build();

  private AuditLines() {}

  /** One line, without its end. */
  static String line(AuditRecord record) {
    return JsonMapper.shared()
        .writeValueAsString(
            new Line(
                record.id(),
                record.at().toString(),
                JsonMapper.shared().readTree(record.entry()),
                record.entry(),
                record.previous(),
                record.digest()));
  }

  /**
   * Reads a line. Only what its digest covers counts; {@link #says} compares the rest.
   *
   * @throws IllegalArgumentException if it is none
   */
  static AuditRecord parse(String line) {
    try {
      return Optional.<Line>ofNullable(COMPLETE.readValue(line, Line.class))
          .map(read ->
              new AuditRecord(
                  read.id, Instant.parse(read.at), read.signed, read.previous, read.digest))
          .orElseThrow(() -> new IllegalArgumentException("not a line of the audit"));
    } catch (JacksonException | DateTimeException e) {
      throw new IllegalArgumentException("not a line of the audit", e);
    }
  }

  /**
   * Whether people read in the line what the entry's digest covers, character by character. Nothing
   * else compares {@code event}, which has no digest of its own.
   */
  static boolean says(String line, AuditRecord record) {
    try {
      return line.equals(line(record));
    } catch (JacksonException e) {
      // The server signs JSON only.
      return false;
    }
  }

  /**
   * A line.
   *
   * @param event for readers: what {@code signed} says
   * @param signed the entry as the digest covers it
   */
  private record Line(
      long id, String at, JsonNode event, String signed, String previous, String digest) {}
}
