package io.artifactserver.rest.api.webhook;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.artifactserver.core.webhook.Delivery;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An event for a webhook, as the API shows it.
 *
 * @param message the field {@code webhook-id} of each attempt
 * @param number of the event
 * @param data of the event
 * @param timestamp when it happened
 * @param state {@code waiting}, {@code delivered} or {@code failed}
 * @param attempts how often it was posted
 * @param next when it is posted next; absent if it is over
 * @param last when it was posted last; absent if it was not
 * @param millis how long that took
 * @param status of the answer, 0 if there was none
 * @param detail why the receiver did not take it
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record DeliveryView(
    long id,
    String message,
    String type,
    long number,
    JsonNode data,
    Instant timestamp,
    String state,
    int attempts,
    @Nullable Instant next,
    @Nullable Instant last,
    @Nullable Long millis,
    @Nullable Integer status,
    @Nullable String detail) {
  static DeliveryView of(Delivery delivery, JsonMapper mapper) {
    Optional<Delivery.Attempt> last = Optional.ofNullable(delivery.last());
    return new DeliveryView(
        delivery.id(),
        "msg_" + delivery.message(),
        delivery.kind().toString(),
        delivery.number(),
        mapper.readTree(delivery.data()),
        delivery.at(),
        delivery.state().name().toLowerCase(Locale.ROOT),
        delivery.attempts(),
        delivery.nextAttempt(),
        last.map(Delivery.Attempt::at).orElse(null),
        last.map(Delivery.Attempt::took).map(Duration::toMillis).orElse(null),
        last.map(attempt -> attempt.answer().status()).orElse(null),
        last.map(attempt -> attempt.answer().detail()).orElse(null));
  }

  /**
   * A page of deliveries.
   *
   * @param deliveries the newest first
   */
  public record Page(List<DeliveryView> deliveries) {}
}
