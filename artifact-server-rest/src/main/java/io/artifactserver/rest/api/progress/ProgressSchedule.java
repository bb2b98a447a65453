package io.artifactserver.rest.api.progress;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.progress.ProgressBook;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.rest.log.FailureLog;
import java.time.Instant;
import java.time.InstantSource;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Writes the progress of devices into the database, and forgets what is old. */
@Component
public record ProgressSchedule(
    ProgressBook book,
    RunningDownloads running,
    ProgressStore store,
    ProgressProperties properties,
    InstantSource clock)
    implements DisposableBean {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(ProgressSchedule.class));

  /** With a second between them, the most rows that are written a second. */
  private static final int ROWS = 200;

  private static final long PERIOD_MILLIS = 1000;
  private static final long RETENTION_PERIOD_MILLIS = 60_000;

  /** In a transaction of some tens of milliseconds. */
  private static final int FORGOTTEN_ROWS = 10_000;

  private static final long COUNT_PERIOD_MILLIS = 3_600_000;

  /** The time that a stop waits: a second or two. */
  private static final int LAST_BATCHES = 50;

  @Scheduled(fixedDelay = PERIOD_MILLIS)
  void flush() {
    running.takeDown();
    attempt(() -> book.flush(ROWS));
  }

  @Scheduled(fixedDelay = RETENTION_PERIOD_MILLIS)
  void forget() {
    Instant oldest = clock.instant().minus(properties.retention());
    attempt(() -> store.deleteUnchangedSince(oldest, FORGOTTEN_ROWS));
    attempt(() -> store.deleteOrphans(FORGOTTEN_ROWS));
  }

  @Scheduled(fixedDelay = COUNT_PERIOD_MILLIS)
  void count() {
    attempt(book::count);
  }

  @Override
  public void destroy() {
    attempt(() -> {
      for (int i = 0; i < LAST_BATCHES && book.flush(ROWS) > 0; i++) {}
    });
  }

  private static void attempt(Runnable work) {
    try {
      work.run();
    } catch (CatalogUnavailableException e) {
      FAILURES.failed("The progress of devices waits for the database", e);
    }
  }
}
