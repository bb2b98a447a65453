package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.grant.GrantedFiles;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.type.AnnotatedTypeMetadata;
import tools.jackson.databind.json.JsonMapper;

/** Asks hawkBit, where {@code artifact-server.hawkbit.url} names one. */
@Configuration(proxyBeanMethods = false)
@Conditional(HawkbitConfiguration.UrlIsNamed.class)
public class HawkbitConfiguration {
  /** Some 2 MB; a fleet that ends at once and a webhook that is away for minutes. */
  private static final int MAX_REPORTS = 10_000;

  private static final Duration REPORT_PAUSE = Duration.ofSeconds(1);

  @Bean
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
  Outbox hawkbitOutbox(MeterRegistry registry) {
    return new Outbox(MAX_REPORTS, REPORT_PAUSE, registry);
  }

  @Bean
  @Conditional(WebhookIsNamed.class)
  Webhook hawkbitWebhook(HawkbitReportProperties properties, JsonMapper mapper, Outbox outbox) {
    return new Webhook(
        URI.create(properties.webhook()), properties.webhookTimeout(), mapper, outbox);
  }

  @Bean
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

  private static boolean isNamed(ConditionContext context, String property) {
    return !context.getEnvironment().getProperty(property, "").isEmpty();
  }

  /** An empty address names nobody: compose files pass on variables that are not set. */
  static final class UrlIsNamed implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return isNamed(context, "artifact-server.hawkbit.url");
    }
  }

  /** The same of the webhook's. */
  static final class WebhookIsNamed implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return isNamed(context, "artifact-server.hawkbit.webhook");
    }
  }
}
