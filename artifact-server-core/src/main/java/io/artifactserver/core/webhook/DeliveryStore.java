package io.artifactserver.core.webhook;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Keeps what webhooks are told, from the transaction of the change on, and for a while after they
 * were told. Thread-safe. Times are the database's. Every method asks the database and may block;
 * {@link io.artifactserver.core.catalog.CatalogUnavailableException} says that it could not.
 */
public interface DeliveryStore {
  /**
   * Writes an event down for each enabled webhook of the repository that wants to know; a part of
   * the transaction that this thread runs, if it runs one. Artifacts and devices are none of its
   * callers' business: the store writes their events down itself.
   *
   * @param data JSON
   */
  void tell(String repository, EventKind kind, String data);

  /**
   * Writes an event down for one webhook.
   *
   * @param data JSON
   * @return empty if the webhook is not there
   */
  Optional<Delivery> tell(long webhook, EventKind kind, String data);

  /**
   * Returns deliveries whose time has come, those first that have waited for longest.
   *
   * @param mostOfEach by the id of the webhook
   * @param running ids of deliveries to leave out
   */
  List<Delivery> due(Map<Long, Integer> mostOfEach, Collection<Long> running, int limit);

  /**
   * Writes down how an attempt ended.
   *
   * @param again after how long there is another one; null if it is over
   */
  void attempted(long id, Delivery.Attempt attempt, @Nullable Duration again);

  /**
   * Returns a page of a webhook's deliveries, the newest first.
   *
   * @param before every id is below it
   */
  List<Delivery> list(long webhook, long before, int limit);

  /**
   * Lets a delivery be posted now, and again as often as a new one.
   *
   * @return empty if the webhook has no such delivery
   */
  Optional<Delivery> repeat(long webhook, long id);

  /**
   * Forgets deliveries that are older than {@code age}, and those of a webhook beyond the newest
   * {@code most}; such as are over go before those that wait.
   *
   * @return how many of them still waited
   */
  int trim(Duration age, int most);
}
