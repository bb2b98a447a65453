package io.artifactserver.rest.api.webhook;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.webhook.EventKind;
import io.artifactserver.core.webhook.Webhook;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A webhook, as the API shows it.
 *
 * @param url without its query, which may be a secret
 * @param events types of messages that it gets
 * @param enabled whether it gets any
 * @param secret that signs its messages; shown once, when it is made
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record WebhookView(
    long id,
    String repository,
    String url,
    List<String> events,
    boolean enabled,
    Instant created,
    @Nullable String secret,
    String self) {
  static WebhookView of(Webhook webhook) {
    return new WebhookView(
        webhook.id(),
        webhook.repository(),
        webhook.url().toString().split("\\?", 2)[0],
        webhook.events().stream().sorted().map(EventKind::toString).toList(),
        webhook.isEnabled(),
        webhook.createdAt(),
        null,
        "/api/v1/repositories/%s/webhooks/%d".formatted(webhook.repository(), webhook.id()));
  }

  /** With a secret as receivers need it. */
  WebhookView withSecret(byte[] bytes) {
    return new WebhookView(
        id,
        repository,
        url,
        events,
        enabled,
        created,
        "whsec_" + Base64.getEncoder().encodeToString(bytes),
        self);
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return self;
  }

  /**
   * Webhooks.
   *
   * @param webhooks in the order in which they were made
   */
  public record Page(List<WebhookView> webhooks) {}
}
