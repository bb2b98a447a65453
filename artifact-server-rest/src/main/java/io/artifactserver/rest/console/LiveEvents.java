package io.artifactserver.rest.console;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.rest.api.events.EventStreams;
import io.artifactserver.rest.log.FailureLog;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Tells open pages once a second what is new. What several pages show is found out once.
 * Thread-safe.
 */
@Component
public final class LiveEvents implements SmartLifecycle {
  private static final long PERIOD_MILLIS = 1000;

  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(LiveEvents.class));

  private final Traffic traffic;
  private final EventStreams<Subject, String> pages;
  private final ScheduledExecutorService ticks =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("console-live").factory());
  private volatile boolean isRunning;

  /**
   * @param traffic of the server, which is looked at once a second
   */
  public LiveEvents(Traffic traffic, EventStreams<Subject, String> pages) {
    this.traffic = traffic;
    this.pages = pages;
  }

  /** Something that pages show as it happens. Pages with equal subjects are told the same. */
  public interface Subject {
    /** Returns what a page that opens has to know first, as JSON. May block. */
    default String first() {
      return now();
    }

    /** Returns what is new, as JSON. May block. */
    String now();
  }

  private void tick() {
    try {
      traffic.sample();
      for (Subject subject : pages.subjects()) {
        pages.tell(subject, "now", subject.now());
      }
    } catch (CatalogUnavailableException e) {
      FAILURES.failed("Open pages of the console wait for the database", e);
    } catch (RuntimeException e) {
      // The next second is another one.
      FAILURES.failed("Open pages of the console were told nothing", e);
    }
  }

  @Override
  public void start() {
    isRunning = true;
    var _ =
        ticks.scheduleAtFixedRate(this::tick, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
  }

  @Override
  public void stop() {
    isRunning = false;
    ticks.shutdownNow();
  }

  @Override
  public boolean isRunning() {
    return isRunning;
  }
}
