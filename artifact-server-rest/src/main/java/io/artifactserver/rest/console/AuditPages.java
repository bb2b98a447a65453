package io.artifactserver.rest.console;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.rest.api.audit.AuditChain;
import io.swagger.v3.oas.annotations.Hidden;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Pages that search the audit and verify its chain. Thread-safe. */
@Controller
@Hidden
public record AuditPages(Templates templates, AuditLog audit, JsonMapper mapper) {
  private static final String TITLE = "Audit";
  private static final int PAGE = 100;
  private static final int BATCH = 500;

  /** Entries that one search looks at. */
  private static final int MAX_SEARCHED = 20_000;

  /** The newest entries that have a text. */
  @GetMapping("/console/audit")
  ResponseEntity<byte[]> list(
      @RequestParam(defaultValue = "") String text, @RequestParam(defaultValue = "0") long before) {
    String wanted = text.toLowerCase(Locale.ROOT);
    List<AuditRecord> found = new ArrayList<>();
    long upper = before > 0 ? before - 1 : audit.lastId();
    long end = Math.max(0, upper - MAX_SEARCHED);
    while (upper > end && found.size() < PAGE) {
      long after = Math.max(end, upper - BATCH);
      List<AuditRecord> batch = audit.read(after, (int) (upper - after));
      upper = after;
      for (AuditRecord record : batch.reversed()) {
        if (found.size() == PAGE) {
          upper = found.getLast().id() - 1;
          break;
        }
        if (wanted.isEmpty() || record.entry().toLowerCase(Locale.ROOT).contains(wanted)) {
          found.add(record);
        }
      }
    }
    return templates.page(
        HttpStatus.OK,
        "audit",
        TITLE,
        Map.of(
            "entries",
            found.stream().map(this::entry).toList(),
            "text",
            text,
            "next",
            upper > 0
                ? "/console/audit?text=%s&before=%d".formatted(Format.query(text), upper + 1)
                : ""));
  }

  /** Computes all digests again. */
  @GetMapping("/console/audit/verification")
  ResponseEntity<byte[]> verify() {
    AuditChain chain = new AuditChain("");
    Optional<String> broken = Optional.empty();
    List<AuditRecord> batch;
    do {
      batch = audit.read(chain.lastId(), BATCH);
      for (AuditRecord record : batch) {
        broken = broken.isPresent() ? broken : chain.add(record);
      }
    } while (broken.isEmpty() && !batch.isEmpty());
    broken = broken.or(chain::end);
    return templates.page(
        HttpStatus.OK,
        "verification",
        TITLE,
        Map.of(
            "broken",
            broken.orElse(""),
            "length",
            chain.length(),
            "removed",
            chain.removed(),
            "digest",
            chain.digest()));
  }

  private Entry entry(AuditRecord record) {
    return new Entry(record, mapper.readTree(record.entry()));
  }

  /**
   * An entry as the page shows it.
   *
   * @param event what the record says
   */
  public record Entry(AuditRecord record, JsonNode event) {
    /** A property of the event; empty if it has none. */
    public String of(String property) {
      return event.path(property).asString("");
    }

    /** All of it, for reading. */
    public String text() {
      return event.toPrettyString();
    }
  }
}
