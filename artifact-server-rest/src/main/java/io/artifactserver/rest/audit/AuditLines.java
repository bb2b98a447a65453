package io.artifactserver.rest.audit;

import io.artifactserver.core.audit.AuditRecord;
import java.time.Instant;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Entries of the audit as JSON lines. An entry stands in its line as a string, so that its digest
 * can be computed from exactly these characters. Pure functions.
 */
final class AuditLines {
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
   * Reads a line.
   *
   * @throws IllegalArgumentException if it is none
   */
  static AuditRecord parse(String line) {
    try {
      Line read = JsonMapper.shared().readValue(line, Line.class);
      return new AuditRecord(
          read.id, Instant.parse(read.at), read.signed, read.previous, read.digest);
    } catch (JacksonException | java.time.DateTimeException e) {
      throw new IllegalArgumentException("not a line of the audit", e);
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
