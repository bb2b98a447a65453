package io.artifactserver.rest.api.release;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.release.ChannelBook;
import io.artifactserver.core.release.ChannelEvent;
import io.artifactserver.core.release.ChannelState;
import io.artifactserver.core.release.ReleaseException;
import io.artifactserver.core.release.StageWatch;
import io.artifactserver.rest.api.audit.AuditWriter;
import io.artifactserver.rest.log.FailureLog;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Takes releases back that too many devices fail with. */
@Component
public class StageSchedule {
  private static final Logger LOG = LoggerFactory.getLogger(StageSchedule.class);
  private static final FailureLog FAILURES = new FailureLog(LOG);

  private static final long PERIOD_MILLIS = 1000;

  private final ChannelBook book;
  private final StageWatch watch;
  private final AuditWriter audit;
  private final Counter stopped;

  public StageSchedule(
      ChannelBook book, StageWatch watch, AuditWriter audit, MeterRegistry registry) {
    this.book = book;
    this.watch = watch;
    this.audit = audit;
    this.stopped =
        Counter.builder("artifact_server.stage.stops")
            .description("Releases that the server took back because too many devices failed")
            .register(registry);
  }

  @Scheduled(fixedDelay = PERIOD_MILLIS)
  void sweep() {
    watch.sweep(book::find).forEach(this::stop);
  }

  /** Writes what the server does by itself to the audit, in the transaction of the change. */
  @EventListener
  void take(ChannelEvent event) {
    ChannelState before = event.before();
    if (event.kind() == ChannelEvent.Kind.STOPPED && before != null) {
      audit.appendOwn(
          "stage",
          ChannelView.path(event.after().channel()),
          ChannelView.of(before),
          ChannelView.of(event.after()));
    }
  }

  private void stop(StageWatch.Failing failing) {
    try {
      book.stop(failing.state(), failing.reason())
          .ifPresent(after -> {
            LOG.warn(
                after.rollout().isPaused()
                    ? "The channel {} is paused at {}. {}"
                    : "The channel {} points to {} again. {}",
                after.channel(),
                after.release(),
                after.comment());
            stopped.increment();
          });
    } catch (ReleaseException | CatalogUnavailableException e) {
      FAILURES.failed("The channel " + failing.state().channel() + " could not be stopped", e);
    }
  }
}
