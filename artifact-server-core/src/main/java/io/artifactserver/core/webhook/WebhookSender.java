package io.artifactserver.core.webhook;

import java.util.List;

/** Posts messages. Thread-safe. */
@FunctionalInterface
public interface WebhookSender {
  /**
   * Posts one message, and waits for the answer; not for long.
   *
   * @param secrets each of which signs it
   * @throws java.util.concurrent.CancellationException if the server stops
   */
  Delivery.Answer send(Webhook webhook, Delivery delivery, List<byte[]> secrets);
}
