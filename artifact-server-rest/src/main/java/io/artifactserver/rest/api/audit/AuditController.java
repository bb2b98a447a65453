package io.artifactserver.rest.api.audit;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.rest.problem.ProblemException;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.tags.Tag;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The audit as JSON lines. Thread-safe. */
@RestController
@Tag(name = "Audit")
public record AuditController(AuditLog audit) {
  /** Media type of JSON lines. */
  static final String JSON_LINES = "application/x-ndjson";

  private static final int MAX_LIMIT = 10_000;

  /** Longest answer, in characters. One entry can have a hundred thousand. */
  private static final int MAX_LENGTH = 1 << 20;

  /** Entries read from the database at a time. */
  private static final int BATCH = 50;

  /** Entries in their order, a line each. */
  @GetMapping(value = "/api/v1/audit", produces = JSON_LINES)
  @Operation(
      summary = "Export the audit",
      description =
          "One JSON object a line, in the order of \"id\", which has no gaps. The oldest may have"
              + " been removed, which an entry says. An answer ends behind"
              + " the limit or a million characters. Ask again with \"after\" for the next ones,"
              + " until an answer is empty."
              + " docs/access.md says how the digests are computed.")
  public String export(
      @Parameter(description = "Id of the last entry that is known")
          @RequestParam(defaultValue = "0")
          long after,
      @Parameter(description = "Most entries, 1 to 10000") @RequestParam(defaultValue = "10000")
          int limit) {
    if (limit < 1 || limit > MAX_LIMIT || after < 0) {
      throw new ProblemException(
          HttpStatus.BAD_REQUEST,
          "Limit out of bounds",
          "\"limit\" is 1 to %d, and \"after\" an id.".formatted(MAX_LIMIT));
    }
    StringBuilder lines = new StringBuilder();
    long last = after;
    int left = limit;
    while (left > 0 && lines.length() < MAX_LENGTH) {
      List<AuditRecord> batch = audit.read(last, Math.min(left, BATCH));
      if (batch.isEmpty()) {
        break;
      }
      for (AuditRecord each : batch) {
        lines.append(AuditLines.line(each)).append('\n');
      }
      last = batch.getLast().id();
      left -= batch.size();
    }
    return lines.toString();
  }
}
