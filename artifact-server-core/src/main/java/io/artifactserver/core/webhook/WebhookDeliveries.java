package io.artifactserver.core.webhook;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.webhook.Delivery.Answer;
import io.artifactserver.core.webhook.Delivery.Attempt;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Use case: tell webhooks what happened, each of them at least once. Thread-safe.
 *
 * <p>Receivers take turns. One that answers gets a few messages at a time. One whose last message
 * failed gets one at a time after a pause that grows, and all of those together have half of the
 * places: receivers that hang do not hold up the others.
 */
public final class WebhookDeliveries {
  /** Messages on their way to one receiver. */
  static final int MOST_OF_ONE = 4;

  /** The longest pause of a receiver, as a multiple of the first delay. */
  private static final int LONGEST_PAUSE = 12;

  private final WebhookBook book;
  private final DeliveryStore store;
  private final WebhookSender sender;
  private final Bounds bounds;
  private final InstantSource clock;
  private final Executor executor;
  private final Consumer<Attempted> listener;

  /** Messages on their way, by the delivery's id. */
  private final Map<Long, Webhook> running = new ConcurrentHashMap<>();

  /** Receivers whose last message failed, by the webhook's id. */
  private final Map<Long, Pause> pauses = new ConcurrentHashMap<>();

  /**
   * @param executor posts messages, as many at a time as there are places
   * @param listener is told of each attempt; must not block for long
   */
  public WebhookDeliveries(
      WebhookBook book,
      DeliveryStore store,
      WebhookSender sender,
      Bounds bounds,
      InstantSource clock,
      Executor executor,
      Consumer<Attempted> listener) {
    this.book = book;
    this.store = store;
    this.sender = sender;
    this.bounds = bounds;
    this.clock = clock;
    this.executor = executor;
    this.listener = listener;
  }

  /**
   * Begins to post what is due, as far as there are places. To be called about once a second, by
   * one thread. Asks the database, unless there is no webhook at all.
   *
   * @throws CatalogUnavailableException if the database does not answer; the next call goes on
   */
  public void run() {
    Map<Long, Webhook> webhooks =
        book.all().stream()
            .filter(Webhook::isEnabled)
            .collect(Collectors.toMap(Webhook::id, Function.identity()));
    pauses.keySet().retainAll(webhooks.keySet());
    Map<Long, Integer> failing = new HashMap<>();
    Map<Long, Integer> well = new HashMap<>();
    int placesOfFailing = bounds.places / 2;
    for (long id : webhooks.keySet()) {
      int taken = (int) running.values().stream().filter(webhook -> webhook.id() == id).count();
      Pause pause = pauses.get(id);
      if (pause == null) {
        well.put(id, MOST_OF_ONE - taken);
      } else {
        placesOfFailing -= taken;
        failing.put(id, pause.until <= clock.millis() ? 1 - taken : 0);
      }
    }
    begin(webhooks, failing, placesOfFailing);
    begin(webhooks, well, bounds.places - running.size());
  }

  /**
   * Forgets what is old. To be called about once a minute. Asks the database, unless there is no
   * webhook at all.
   *
   * @return how many messages are lost that no receiver took
   */
  public int trim() {
    return book.all().isEmpty() ? 0 : store.trim(bounds.retention, bounds.mostRows);
  }

  /**
   * @param ofEach how many messages of each may begin
   */
  private void begin(Map<Long, Webhook> webhooks, Map<Long, Integer> ofEach, int places) {
    ofEach.values().removeIf(free -> free <= 0);
    if (ofEach.isEmpty() || places <= 0) {
      return;
    }
    Map<Long, List<byte[]>> secrets = new HashMap<>();
    for (Delivery delivery : store.due(ofEach, running.keySet(), places)) {
      Webhook webhook = webhooks.get(delivery.webhook());
      if (webhook != null) {
        List<byte[]> signing =
            secrets.computeIfAbsent(webhook.id(), _ -> List.copyOf(book.secrets(webhook)));
        running.put(delivery.id(), webhook);
        try {
          executor.execute(() -> post(webhook, delivery, signing));
        } catch (RejectedExecutionException _) {
          // The server stops; the next one posts it.
          running.remove(delivery.id());
        }
      }
    }
  }

  private void post(Webhook webhook, Delivery delivery, List<byte[]> secrets) {
    try {
      long began = clock.millis();
      Answer answer =
          secrets.isEmpty()
              ? new Answer(0, "the secret cannot be decrypted: rotate it")
              : sender.send(webhook, delivery, secrets);
      Attempt attempt =
          new Attempt(
              clock.instant().truncatedTo(ChronoUnit.MICROS),
              Duration.ofMillis(Math.max(0, clock.millis() - began)),
              answer);
      pace(webhook, answer);
      writeDown(webhook, delivery, attempt);
    } catch (CatalogUnavailableException | CancellationException _) {
      // It is posted again: at least once.
    } finally {
      running.remove(delivery.id());
    }
  }

  private void pace(Webhook webhook, Answer answer) {
    if (answer.isTaken()) {
      pauses.remove(webhook.id());
      return;
    }
    pauses.compute(
        webhook.id(),
        (_, before) -> {
          int streak = Math.min(LONGEST_PAUSE, before == null ? 1 : before.streak + 1);
          return new Pause(streak, clock.millis() + bounds.delays.getFirst().toMillis() * streak);
        });
  }

  /** One at a time: the database's connections are for those who wait. */
  private synchronized void writeDown(Webhook webhook, Delivery delivery, Attempt attempt) {
    Answer answer = attempt.answer();
    @Nullable Duration again =
        answer.isTaken() || delivery.attempts() >= bounds.delays.size()
            ? null
            : bounds.delays.get(delivery.attempts());
    store.attempted(delivery.id(), attempt, again);
    boolean isDisabled = answer.isGone() && book.disable(webhook);
    listener.accept(new Attempted(webhook, answer, again != null, isDisabled));
  }

  /**
   * The limits of deliveries. Immutable.
   *
   * @param places most messages on their way at a time
   * @param delays before the second attempt, the third and so on; at least one
   * @param retention how long a delivery is kept
   * @param mostRows most deliveries of a webhook that are kept
   */
  public record Bounds(int places, List<Duration> delays, Duration retention, int mostRows) {
    public Bounds {
      delays = List.copyOf(delays);
    }
  }

  /**
   * An attempt that is over. Immutable.
   *
   * @param isRepeated whether there will be another one
   * @param isDisabled whether the receiver wants no more messages, and gets none
   */
  public record Attempted(Webhook webhook, Answer answer, boolean isRepeated, boolean isDisabled) {}

  /**
   * A receiver rests.
   *
   * @param streak failures without a success between them
   * @param until in milliseconds since 1970
   */
  private record Pause(int streak, long until) {}
}
