package io.artifactserver.core.webhook;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks, in memory and in the database: a server without any asks the database for nothing.
 * Thread-safe; right as long as every change comes through the one server that an installation has.
 */
public final class WebhookBook {
  /** Most webhooks of a repository. */
  public static final int MAX_WEBHOOKS = 10;

  /** How long messages have the signature of a former secret, too. */
  public static final Duration OVERLAP = Duration.ofDays(1);

  private final WebhookStore store;
  private final WebhookSecrets secrets;

  /** All webhooks; null until they are read again. Set only under this object's lock. */
  private final AtomicReference<@Nullable List<Webhook>> known = new AtomicReference<>();

  public WebhookBook(WebhookStore store, WebhookSecrets secrets) {
    this.store = store;
    this.secrets = secrets;
  }

  /**
   * Returns all of them, in the order in which they were made. Asks the database after a change.
   */
  public synchronized List<Webhook> all() {
    List<Webhook> webhooks = known.get();
    if (webhooks == null) {
      webhooks = List.copyOf(store.all());
      known.set(webhooks);
    }
    return webhooks;
  }

  /** Returns those of a repository, in the order in which they were made. */
  public List<Webhook> of(String repository) {
    return all().stream().filter(webhook -> webhook.repository().equals(repository)).toList();
  }

  /**
   * Makes a webhook. Asks the database.
   *
   * @return empty if there is no such repository, or it has {@value #MAX_WEBHOOKS} already
   */
  public Optional<Secret> create(String repository, URI url, Set<EventKind> events) {
    String name = secrets.create();
    return changing(() -> store.add(repository, url, events, name, MAX_WEBHOOKS))
        .map(webhook -> new Secret(webhook, secret(name)));
  }

  /**
   * Changes address, events and state. Asks the database.
   *
   * @return whether it is there
   */
  public boolean change(Webhook after) {
    return changing(() -> store.change(after));
  }

  /**
   * Gives a webhook another secret; the former one signs for {@link #OVERLAP}, too. Asks the
   * database.
   *
   * @return empty if it is not there
   */
  public Optional<Secret> rotate(Webhook webhook) {
    String name = secrets.create();
    return changing(() -> store.rotate(webhook.id(), name, OVERLAP))
        ? Optional.of(new Secret(webhook, secret(name)))
        : Optional.empty();
  }

  /**
   * Deletes a webhook with its deliveries. Asks the database.
   *
   * @return whether it was there
   */
  public boolean delete(Webhook webhook) {
    return changing(() -> store.delete(webhook.id()));
  }

  /** Disables a webhook whose receiver said so, unless it has another address by now. */
  synchronized boolean disable(Webhook asked) {
    return all().stream()
        .filter(webhook -> webhook.id() == asked.id() && webhook.url().equals(asked.url()))
        .filter(Webhook::isEnabled)
        .anyMatch(webhook -> change(webhook.enabled(false)));
  }

  /** Returns the secrets that sign a webhook's messages now. Asks the database. */
  List<byte[]> secrets(Webhook webhook) {
    return store.secrets(webhook.id()).stream()
        .flatMap(name -> secrets.find(name).stream())
        .toList();
  }

  private byte[] secret(String name) {
    return secrets
        .find(name)
        .orElseThrow(() -> new IllegalStateException("A secret that was just made is gone"));
  }

  private synchronized <T> T changing(Supplier<T> change) {
    try {
      return change.get();
    } finally {
      // Unknown, too, if the database went away in the middle.
      known.set(null);
    }
  }

  /**
   * A webhook and its new secret, for whoever made it. Immutable by convention: the array is not
   * copied.
   */
  @SuppressWarnings("ArrayRecordComponent") // Never compared; shown once.
  public record Secret(Webhook webhook, byte[] secret) {
    /** Without the secret. */
    @Override
    public String toString() {
      return "secret of " + webhook;
    }
  }
}
