package io.artifactserver.rest.api.audit;

import io.artifactserver.core.audit.AuditRecord;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An entry about the oldest ones, which the server has removed. It proves those that are left: the
 * first of them follows the one that it names. Immutable.
 *
 * @param through id of the last one that was removed
 * @param digest of that one
 */
record Removal(long through, String digest) {
  private static final String OUTCOME = "removed";

  /** The entry's properties. */
  static Map<String, Object> entry(AuditRecord last) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("caller", "server");
    entry.put("outcome", OUTCOME);
    entry.put("through", last.id());
    entry.put("digest", last.digest());
    return entry;
  }

  /** Returns what an entry says; empty if it is about something else, as those of callers are. */
  static Optional<Removal> of(AuditRecord record) {
    try {
      JsonNode entry = JsonMapper.shared().readTree(record.entry());
      return entry.path("outcome").asString("").equals(OUTCOME)
          ? Optional.of(
              new Removal(entry.path("through").asLong(0), entry.path("digest").asString("")))
          : Optional.empty();
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  /** Whether the entry is the first that was left. */
  boolean isBefore(AuditRecord first) {
    return first.id() == through + 1 && first.previous().equals(digest);
  }
}
