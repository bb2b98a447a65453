package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.hawkbit.GrantedFiles;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Asks hawkBit, where {@code artifact-server.hawkbit.url} names one. */
@Configuration(proxyBeanMethods = false)
public class HawkbitConfiguration {
  /** Some 2 MB; a fleet that ends at once and a webhook that is away for minutes. */
  private static final int MAX_REPORTS = 10_000;

  private static final Duration REPORT_PAUSE = Duration.ofSeconds(1);

  @Bean
  @ConditionalOnProperty("artifact-server.hawkbit.url")
  Hawkbit hawkbit(
      HawkbitGrantProperties properties,
      ObjectProvider<GrantedFiles> files,
      JsonMapper mapper,
      MeterRegistry registry) {
    GrantedFiles folder = files.getIfAvailable();
    if (folder == null) {
      throw new IllegalStateException(
          "artifact-server.hawkbit.url is set, and artifact-server.hawkbit.artifacts is not:"
              + " mount hawkBit's folder of artifacts read-only, and name it there; or, if it cannot"
              + " be mounted, set artifact-server.hawkbit.pull=true");
    }
    return new Hawkbit(properties, folder, mapper, registry);
  }

  @Bean
  @ConditionalOnProperty("artifact-server.hawkbit.url")
  Outbox hawkbitOutbox(MeterRegistry registry) {
    return new Outbox(MAX_REPORTS, REPORT_PAUSE, registry);
  }

  @Bean
  @ConditionalOnProperty({"artifact-server.hawkbit.url", "artifact-server.hawkbit.webhook"})
  Webhook hawkbitWebhook(HawkbitReportProperties properties, JsonMapper mapper, Outbox outbox) {
    return new Webhook(
        URI.create(properties.webhook()), properties.webhookTimeout(), mapper, outbox);
  }

  @Bean
  @ConditionalOnProperty("artifact-server.hawkbit.url")
  Reports hawkbitReports(
      HawkbitReportProperties properties,
      ObjectProvider<Webhook> webhook,
      Hawkbit hawkbit,
      Outbox outbox,
      MeterRegistry registry) {
    List<Reports.Recipient> recipients = new ArrayList<>();
    webhook.ifAvailable(recipients::add);
    if (properties.feedback()) {
      recipients.add(hawkbit.feedback(outbox));
    }
    return new Reports(recipients, registry);
  }
}
