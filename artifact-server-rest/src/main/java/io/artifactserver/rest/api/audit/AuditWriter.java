package io.artifactserver.rest.api.audit;

import io.artifactserver.core.access.Caller;
import io.artifactserver.core.access.Role;
import io.artifactserver.core.audit.AuditLog;
import io.artifactserver.core.audit.AuditRecord;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.rest.log.FailureLog;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes entries to the audit: each change, and {@link Refusals} as they bound them. Removes the
 * oldest. Thread-safe.
 */
public class AuditWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AuditWriter.class);

  /** Once a day. */
  private static final long REMOVAL_PERIOD_MINUTES = 24 * 60;

  /** While they are deleted, nothing can be added: for less than a second. */
  private static final int REMOVED_AT_ONCE = 10_000;

  private final AuditLog audit;
  private final JsonMapper mapper;
  private final AuditProperties properties;
  private final InstantSource clock;
  private final Changes changes;
  private final Refusals refusals = new Refusals(System::nanoTime);

  public AuditWriter(
      AuditLog audit, JsonMapper mapper, AuditProperties properties, InstantSource clock) {
    this.audit = audit;
    this.mapper = mapper;
    this.properties = properties;
    this.clock = clock;
    this.changes = new Changes(properties.maxChangesPerCaller(), clock);
  }

  /** Whether the caller may change something still; an admin always may. */
  boolean mayChange(Caller caller) {
    return caller.role() == Role.ADMIN || changes.isLeft(caller.id());
  }

  /** After which everybody may. */
  Duration untilMoreChanges() {
    return changes.untilMore();
  }

  /** A change that was made. */
  void append(Caller caller, Map<String, Object> entry) {
    String text = mapper.writeValueAsString(entry);
    if (caller.role() != Role.ADMIN) {
      changes.count(caller.id(), text.length());
    }
    append(text);
  }

  /**
   * The end of a change whose request was answered before.
   *
   * @param path of what the request began
   * @param isDone whether it succeeded
   * @param after how the thing is now
   */
  public void appendEnd(Caller caller, String path, boolean isDone, Object after) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("caller", caller.id());
    entry.put("name", caller.name());
    entry.put("role", caller.role().name().toLowerCase(Locale.ROOT));
    entry.put("path", path);
    entry.put("outcome", isDone ? "changed" : "failed");
    entry.put("after", after);
    append(caller, entry);
  }

  /**
   * A change that the server made by itself.
   *
   * @param job that made it
   * @param path of the thing
   * @param before how the thing was
   * @param after how it is now; null if it is gone
   */
  public void appendOwn(String job, String path, Object before, @Nullable Object after) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("caller", "server");
    entry.put("job", job);
    entry.put("path", path);
    entry.put("outcome", "changed");
    entry.put("before", before);
    if (after != null) {
      entry.put("after", after);
    }
    append(entry);
  }

  private void append(Map<String, Object> entry) {
    append(mapper.writeValueAsString(entry));
  }

  private void append(String text) {
    try {
      audit.append(text);
    } catch (CatalogUnavailableException e) {
      // A change needs the database too, so nothing changed; the log keeps refusals.
      // Without the stack, which would be 120 lines for each call of somebody who calls in a loop.
      LOG.error(
          "Missing from the audit, because the database does not answer ({}): {}",
          FailureLog.reason(e),
          text);
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

  /** Removes what is too old, and the oldest of what is too much. */
  @Scheduled(initialDelay = 1, fixedDelay = REMOVAL_PERIOD_MINUTES, timeUnit = TimeUnit.MINUTES)
  void removeOldest() {
    try {
      Instant before = clock.instant().minus(properties.retention());
      Optional<AuditRecord> last;
      do {
        last =
            audit.removeOldest(
                before,
                properties.maxEntries(),
                REMOVED_AT_ONCE,
                goes -> mapper.writeValueAsString(Removal.entry(goes)));
        last.ifPresent(goes ->
            LOG.info("The audit has no entries until {} of {} any more", goes.id(), goes.at()));
      } while (last.isPresent());
    } catch (CatalogUnavailableException e) {
      LOG.warn("Cannot remove old entries of the audit, because the database does not answer", e);
    }
  }

  /** Writes what was counted. */
  @Override
  public void close() {
    refusals.end(true).forEach(this::append);
  }
}
