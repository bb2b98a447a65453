package io.artifactserver.rest.api.webhook;

import io.artifactserver.core.webhook.WebhookDeliveries.Attempted;
import io.artifactserver.rest.api.audit.AuditWriter;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Tells operators how messages to webhooks fare. Thread-safe. */
@Component
final class WebhookReports {
  private static final Logger LOG = LoggerFactory.getLogger(WebhookReports.class);

  private final AuditWriter audit;
  private final Counter delivered;
  private final Counter repeated;
  private final Counter failed;
  private final Counter lost;

  WebhookReports(AuditWriter audit, MeterRegistry registry) {
    this.audit = audit;
    this.delivered = counter(registry, "delivered");
    this.repeated = counter(registry, "repeated");
    this.failed = counter(registry, "failed");
    this.lost = counter(registry, "lost");
  }

  private static Counter counter(MeterRegistry registry, String outcome) {
    return Counter.builder("artifact_server.webhooks.messages")
        .description("Messages to webhooks, by how an attempt ended, or lost before they were sent")
        .tag("outcome", outcome)
        .register(registry);
  }

  /** An attempt is over. */
  void attempted(Attempted attempt) {
    if (attempt.answer().isTaken()) {
      delivered.increment();
    } else if (attempt.isRepeated()) {
      repeated.increment();
    } else {
      failed.increment();
      LOG.warn("The receiver of {} did not take a message, which is given up", attempt.webhook());
    }
    if (attempt.isDisabled()) {
      LOG.warn("The receiver of {} is gone (410): it is disabled", attempt.webhook());
      WebhookView before = WebhookView.of(attempt.webhook());
      audit.appendOwn(
          "webhook", before.self(), before, WebhookView.of(attempt.webhook().enabled(false)));
    }
  }

  /** Messages that no receiver took are forgotten. */
  void lost(int messages) {
    if (messages > 0) {
      lost.increment(messages);
      LOG.warn("{} messages to webhooks were not taken in time, and are given up", messages);
    }
  }
}
