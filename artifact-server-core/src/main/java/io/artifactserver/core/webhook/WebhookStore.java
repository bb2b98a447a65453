package io.artifactserver.core.webhook;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps webhooks. Thread-safe. Every method asks the database and may block; {@link
 * io.artifactserver.core.catalog.CatalogUnavailableException} says that it could not.
 */
public interface WebhookStore {
  /** Returns all webhooks, in the order in which they were made. */
  List<Webhook> all();

  /**
   * Makes a webhook.
   *
   * @param secret name of the secret that signs its messages
   * @param most webhooks that the repository may have
   * @return empty if there is no such repository, or it has as many as it may have
   */
  Optional<Webhook> add(String repository, URI url, Set<EventKind> events, String secret, int most);

  /**
   * Changes address, events and state.
   *
   * @return whether it is there
   */
  boolean change(Webhook after);

  /**
   * Gives it another secret.
   *
   * @param overlap how long the former one signs, too
   * @return whether it is there
   */
  boolean rotate(long id, String secret, Duration overlap);

  /** Returns the names of the secrets that sign its messages now, the newest first. */
  List<String> secrets(long id);

  /**
   * Deletes it with its deliveries and its secrets.
   *
   * @return whether it was there
   */
  boolean delete(long id);
}
