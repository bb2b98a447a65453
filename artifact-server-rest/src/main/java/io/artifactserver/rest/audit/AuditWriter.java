package io.artifactserver.rest.audit;

import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes entries to the audit: each change, and {@link Refusals} as they bound them. Thread-safe.
 */
public class AuditWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditWriter.class);

  private final AuditLog audit;
  private final JsonMapper mapper;
  private final Refusals refusals = new Refusals(System::nanoTime);

  public AuditWriter(AuditLog audit, JsonMapper mapper) {
    this.audit = audit;
    this.mapper = mapper;
  }

  void append(Map<String, Object> entry) {
    String text = mapper.writeValueAsString(entry);
    try {
      audit.append(text);
    } catch (CatalogUnavailableException e) {
      // A change needs the database too, so nothing changed; the log keeps refusals.
      LOG.error("Not in the audit, because the database does not answer: {}", text, e);
    }
  }

  void appendRefused(String caller, String method, int status, Map<String, Object> entry) {
    if (refusals.isFirst(caller, method, status, entry)) {
      append(entry);
    }
  }

  /** Writes what was counted in the minutes that are over. */
  @Scheduled(fixedDelay = 10, timeUnit = TimeUnit.SECONDS)
  void appendCounted() {
    refusals.end(false).forEach(this::append);
  }

  /** Writes what was counted. */
  @Override
  public void close() {
    refusals.end(true).forEach(this::append);
  }
}
