package io.artifactserver.rest.api.webhook;

import io.artifactserver.core.webhook.DeliveryStore;
import io.artifactserver.core.webhook.WebhookBook;
import io.artifactserver.core.webhook.WebhookDeliveries;
import io.artifactserver.rest.api.outbound.CheckedClient;
import io.artifactserver.rest.api.outbound.PublicAddresses;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import tools.jackson.databind.json.JsonMapper;

/** Wires webhooks. */
@Configuration(proxyBeanMethods = false)
@Import(WebhookBook.class)
public class WebhookConfiguration {
  @Bean
  CheckedClient webhookClient(WebhookProperties properties) {
    return new CheckedClient(
        "webhook-client",
        properties.allowed(),
        properties.timeout(),
        InetAddress::getAllByName,
        PublicAddresses::isPublic,
        null);
  }

  /** As many threads as there are messages on their way. */
  @Bean(destroyMethod = "shutdownNow")
  ExecutorService webhookPosts() {
    return Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("webhook-", 0).factory());
  }

  @Bean
  WebhookDeliveries webhookDeliveries(
      WebhookBook book,
      DeliveryStore store,
      CheckedClient webhookClient,
      WebhookProperties properties,
      JsonMapper mapper,
      InstantSource clock,
      ExecutorService webhookPosts,
      WebhookReports reports) {
    return new WebhookDeliveries(
        book,
        store,
        new SignedPosts(webhookClient, properties, mapper, clock),
        new WebhookDeliveries.Bounds(
            properties.maxConcurrent(),
            properties.retryDelays(),
            properties.retention(),
            properties.maxDeliveries()),
        clock,
        webhookPosts,
        reports::attempted);
  }
}
