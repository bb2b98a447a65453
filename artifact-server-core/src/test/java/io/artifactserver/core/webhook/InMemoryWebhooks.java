package io.artifactserver.core.webhook;

import io.artifactserver.core.webhook.Delivery.Attempt;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Webhooks and what they are told, by a clock of a test. Thread-safe. */
final class InMemoryWebhooks implements WebhookStore, DeliveryStore, WebhookSecrets {
  private final InstantSource clock;
  private final Map<Long, Webhook> webhooks = new TreeMap<>();
  private final Map<Long, List<String>> names = new HashMap<>();
  private final Map<String, byte[]> secrets = new HashMap<>();
  private final Map<Long, Delivery> deliveries = new LinkedHashMap<>();
  private int questions;

  InMemoryWebhooks(InstantSource clock) {
    this.clock = clock;
  }

  /** How often the database would have been asked. */
  synchronized int questions() {
    return questions;
  }

  synchronized Delivery delivery(long id) {
    return Objects.requireNonNull(deliveries.get(id));
  }

  @Override
  public synchronized List<Webhook> all() {
    questions++;
    return List.copyOf(webhooks.values());
  }

  @Override
  public synchronized Optional<Webhook> add(
      String repository, URI url, Set<EventKind> events, String secret, int most) {
    if (webhooks.values().stream().filter(each -> each.repository().equals(repository)).count()
        >= most) {
      return Optional.empty();
    }
    long id = webhooks.size() + 1L;
    Webhook webhook = new Webhook(id, repository, url, events, true, clock.instant());
    webhooks.put(id, webhook);
    names.put(id, List.of(secret));
    return Optional.of(webhook);
  }

  @Override
  public synchronized boolean change(Webhook after) {
    return webhooks.replace(after.id(), after) != null;
  }

  @Override
  public synchronized boolean rotate(long id, String secret, Duration overlap) {
    return names.computeIfPresent(id, (_, before) -> List.of(secret, before.getFirst())) != null;
  }

  @Override
  public synchronized List<String> secrets(long id) {
    return names.getOrDefault(id, List.of());
  }

  @Override
  public synchronized boolean delete(long id) {
    deliveries.values().removeIf(delivery -> delivery.webhook() == id);
    return webhooks.remove(id) != null;
  }

  @Override
  public synchronized void tell(String repository, EventKind kind, String data) {
    webhooks.values().stream()
        .filter(webhook -> webhook.repository().equals(repository) && webhook.isEnabled())
        .forEach(webhook -> tell(webhook.id(), kind, data));
  }

  @Override
  public synchronized Optional<Delivery> tell(long webhook, EventKind kind, String data) {
    long id = deliveries.size() + 1L;
    Delivery delivery =
        new Delivery(
            id,
            webhook,
            new UUID(0, id),
            id,
            kind,
            data,
            clock.instant(),
            0,
            clock.instant(),
            null);
    deliveries.put(id, delivery);
    return Optional.of(delivery);
  }

  @Override
  public synchronized List<Delivery> due(
      Map<Long, Integer> mostOfEach, Collection<Long> running, int limit) {
    questions++;
    List<Delivery> due = new ArrayList<>();
    for (long webhook : mostOfEach.keySet()) {
      deliveries.values().stream()
          .filter(each -> each.webhook() == webhook && !running.contains(each.id()))
          .filter(each -> isDue(each.nextAttempt()))
          .limit(mostOfEach.getOrDefault(webhook, 0))
          .forEach(due::add);
    }
    return due.stream().sorted(Comparator.comparingLong(Delivery::id)).limit(limit).toList();
  }

  private boolean isDue(@Nullable Instant next) {
    return next != null && !next.isAfter(clock.instant());
  }

  @Override
  public synchronized void attempted(long id, Attempt attempt, @Nullable Duration again) {
    deliveries.computeIfPresent(
        id,
        (_, before) ->
            next(
                before,
                before.attempts() + 1,
                again == null ? null : clock.instant().plus(again),
                attempt));
  }

  private static Delivery next(
      Delivery before, int attempts, @Nullable Instant again, @Nullable Attempt last) {
    return new Delivery(
        before.id(),
        before.webhook(),
        before.message(),
        before.number(),
        before.kind(),
        before.data(),
        before.at(),
        attempts,
        again,
        last);
  }

  @Override
  public synchronized List<Delivery> list(long webhook, long before, int limit) {
    return List.copyOf(deliveries.values());
  }

  @Override
  public synchronized Optional<Delivery> repeat(long webhook, long id) {
    return Optional.ofNullable(
        deliveries.computeIfPresent(
            id, (_, before) -> next(before, 0, clock.instant(), before.last())));
  }

  @Override
  public synchronized int trim(Duration age, int most) {
    questions++;
    return 0;
  }

  @Override
  public synchronized String create() {
    String name = "secret" + secrets.size();
    secrets.put(name, new byte[] {(byte) secrets.size()});
    return name;
  }

  @Override
  public synchronized Optional<byte[]> find(String name) {
    return Optional.ofNullable(secrets.get(name));
  }
}
