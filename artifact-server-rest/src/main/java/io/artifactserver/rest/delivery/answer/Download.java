package io.artifactserver.rest.delivery.answer;

import io.artifactserver.rest.delivery.pace.Throttles;
import io.artifactserver.rest.delivery.report.Deliveries.Delivery;
import io.artifactserver.rest.delivery.resolve.Served;
import io.artifactserver.rest.front.Exchange;
import io.artifactserver.rest.http.ResponsePlan;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that an answer is made from. Immutable.
 *
 * @param delivery to be told what the device is sent; null if nobody is
 * @param throttle how fast it may be sent; null if there is no limit
 * @param again answers from the beginning when the download has waited for its turn
 */
public record Download(
    Exchange exchange,
    Served served,
    ResponsePlan plan,
    @Nullable Delivery delivery,
    Throttles.@Nullable OfDownload throttle,
    Consumer<Exchange> again) {
  /** One that nobody is told of, and nothing limits. */
  public static Download of(Exchange exchange, Served served, ResponsePlan plan) {
    return new Download(exchange, served, plan, null, null, _ -> {});
  }
}
