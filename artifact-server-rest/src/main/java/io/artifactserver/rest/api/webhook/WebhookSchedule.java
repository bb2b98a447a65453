package io.artifactserver.rest.api.webhook;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.webhook.WebhookDeliveries;
import io.artifactserver.rest.log.FailureLog;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Tells webhooks what happened. */
@Component
record WebhookSchedule(WebhookDeliveries deliveries, WebhookReports reports) {
  private static final FailureLog FAILURES =
      new FailureLog(LoggerFactory.getLogger(WebhookSchedule.class));

  private static final long PERIOD_MILLIS = 1_000;
  private static final long TRIM_PERIOD_MILLIS = 60_000;

  @Scheduled(fixedDelay = PERIOD_MILLIS)
  void run() {
    attempt(deliveries::run);
  }

  @Scheduled(fixedDelay = TRIM_PERIOD_MILLIS)
  void trim() {
    attempt(() -> reports.lost(deliveries.trim()));
  }

  private static void attempt(Runnable work) {
    try {
      work.run();
    } catch (CatalogUnavailableException e) {
      FAILURES.warn("Webhooks wait for the database", e);
    }
  }
}
