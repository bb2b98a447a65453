package io.artifactserver.core.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.catalog.CatalogUnavailableException;
import io.artifactserver.core.webhook.Delivery.Answer;
import io.artifactserver.core.webhook.Delivery.State;
import io.artifactserver.core.webhook.WebhookDeliveries.Attempted;
import io.artifactserver.core.webhook.WebhookDeliveries.Bounds;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Messages are posted until somebody has them, and nobody waits for receivers that hang. */
class WebhookDeliveriesTest {
  private static final Answer OK = new Answer(200, "");
  private static final Answer BROKEN = new Answer(500, "broken");
  private static final Duration FIRST = Duration.ofSeconds(5);
  private static final Duration SECOND = Duration.ofMinutes(1);

  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.EPOCH);
  private final InMemoryWebhooks store = new InMemoryWebhooks(now::get);
  private final WebhookBook book = new WebhookBook(store, store);
  private final Map<Long, Queue<Answer>> answers = new HashMap<>();
  private final List<Long> posted = new ArrayList<>();
  private final List<Integer> signatures = new ArrayList<>();
  private final List<Attempted> told = new ArrayList<>();

  /** Posts that have begun and wait for their receivers. */
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  private final WebhookDeliveries deliveries = deliveries(8);

  private WebhookDeliveries deliveries(int places) {
    return new WebhookDeliveries(
        book,
        store,
        this::send,
        new Bounds(places, List.of(FIRST, SECOND), Duration.ofDays(1), 10),
        now::get,
        waiting::add,
        told::add);
  }

  private Answer send(Webhook webhook, Delivery delivery, List<byte[]> secrets) {
    posted.add(delivery.id());
    signatures.add(secrets.size());
    Queue<Answer> next = answers.getOrDefault(webhook.id(), new ArrayDeque<>());
    return next.isEmpty() ? OK : next.remove();
  }

  private Webhook webhook() {
    return book.create("r", URI.create("https://a.example/"), Set.of(EventKind.PUBLISHED))
        .orElseThrow()
        .webhook();
  }

  private Delivery message(Webhook webhook) {
    return store.tell(webhook.id(), EventKind.PUBLISHED, "{}").orElseThrow();
  }

  private void answer(Webhook webhook, Answer... next) {
    answers.put(webhook.id(), new ArrayDeque<>(List.of(next)));
  }

  /** Begins what is due, and lets it end. */
  private void round() {
    deliveries.run();
    end();
  }

  private void end() {
    while (!waiting.isEmpty()) {
      waiting.remove().run();
    }
  }

  private void after(Duration time) {
    now.updateAndGet(before -> before.plus(time));
  }

  @Test
  void aServerWithoutWebhooksAsksTheDatabaseOnce() {
    for (int i = 0; i < 10; i++) {
      round();
      assertThat(deliveries.trim()).isZero();
    }
    assertThat(store.questions()).isEqualTo(1);
  }

  @Test
  void aMessageIsPostedUntilItIsTaken() {
    Webhook webhook = webhook();
    Delivery message = message(webhook);
    answer(webhook, BROKEN, BROKEN, OK);
    round();
    round();
    assertThat(posted).hasSize(1);
    assertThat(store.delivery(message.id()).state()).isEqualTo(State.WAITING);
    after(FIRST);
    round();
    after(FIRST.multipliedBy(2));
    round();
    assertThat(posted).hasSize(2);
    after(SECOND);
    round();
    round();
    assertThat(posted).hasSize(3);
    Delivery over = store.delivery(message.id());
    assertThat(over.state()).isEqualTo(State.DELIVERED);
    assertThat(over.attempts()).isEqualTo(3);
    assertThat(told).extracting(Attempted::isRepeated).containsExactly(true, true, false);
  }

  @Test
  void aMessageThatNobodyTakesIsGivenUpAndSentAgainByHand() {
    Webhook webhook = webhook();
    Delivery message = message(webhook);
    answer(webhook, BROKEN, new Answer(0, "it hangs"), BROKEN, OK);
    for (int i = 0; i < 5; i++) {
      round();
      after(SECOND);
    }
    assertThat(posted).hasSize(3);
    assertThat(store.delivery(message.id()).state()).isEqualTo(State.FAILED);
    assertThat(told.getLast().isRepeated()).isFalse();
    assertThat(store.repeat(webhook.id(), message.id())).isPresent();
    round();
    assertThat(store.delivery(message.id()).state()).isEqualTo(State.DELIVERED);
  }

  @Test
  void aReceiverThatHangsDoesNotHoldUpOthers() {
    Webhook slow = webhook();
    Webhook quick = webhook();
    for (int i = 0; i < 50; i++) {
      message(slow);
    }
    deliveries.run();
    assertThat(waiting).hasSize(WebhookDeliveries.MOST_OF_ONE);
    Delivery urgent = message(quick);
    deliveries.run();
    // The last one that began is the only one that ends.
    new ArrayDeque<>(waiting).getLast().run();
    assertThat(store.delivery(urgent.id()).state()).isEqualTo(State.DELIVERED);
  }

  @Test
  void allReceiversThatFailTogetherHaveHalfOfThePlaces() {
    List<Webhook> failing = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Webhook webhook = webhook();
      failing.add(webhook);
      answer(webhook, BROKEN);
      message(webhook);
    }
    Webhook good = webhook();
    deliveries.run();
    assertThat(waiting).hasSize(8);
    end();
    for (int i = 0; i < 3; i++) {
      failing.forEach(this::message);
    }
    round();
    assertThat(posted).as("They rest").hasSize(8);
    after(FIRST);
    deliveries.run();
    assertThat(waiting).as("Half of the places, and one each").hasSize(4);
    for (int i = 0; i < 5; i++) {
      message(good);
    }
    deliveries.run();
    assertThat(waiting).hasSize(8);
    end();
    assertThat(posted).hasSize(16);
  }

  @Test
  void aReceiverThatIsGoneIsAskedNoMore() {
    Webhook webhook = webhook();
    message(webhook);
    answer(webhook, new Answer(410, ""));
    round();
    assertThat(book.all()).extracting(Webhook::isEnabled).containsExactly(false);
    assertThat(told).extracting(Attempted::isDisabled).containsExactly(true);
    after(SECOND);
    round();
    assertThat(posted).hasSize(1);
    assertThat(book.change(webhook.enabled(true))).isTrue();
    round();
    assertThat(posted).hasSize(2);
  }

  @Test
  void oneThatHasAnotherAddressByNowIsNotDisabled() {
    Webhook webhook = webhook();
    message(webhook);
    answer(webhook, new Answer(410, ""));
    deliveries.run();
    URI moved = URI.create("https://b.example/");
    assertThat(
            book.change(
                new Webhook(webhook.id(), "r", moved, webhook.events(), true, webhook.createdAt())))
        .isTrue();
    end();
    assertThat(book.all()).extracting(Webhook::isEnabled).containsExactly(true);
    assertThat(told).extracting(Attempted::isDisabled).containsExactly(false);
  }

  @Test
  void aFormerSecretSignsToo() {
    Webhook webhook = webhook();
    message(webhook);
    round();
    WebhookBook.Secret next = book.rotate(webhook).orElseThrow();
    assertThat(next.toString()).isEqualTo("secret of webhook 1 of r");
    message(webhook);
    round();
    assertThat(signatures).containsExactly(1, 2);
  }

  /** The server stops, or its database goes away, after a receiver has the message. */
  @Test
  void whatWasNotWrittenDownIsPostedAgain() {
    Webhook webhook = webhook();
    Delivery message = message(webhook);
    for (RuntimeException failure :
        List.of(new CancellationException(), new CatalogUnavailableException("away"))) {
      WebhookDeliveries ends =
          new WebhookDeliveries(
              book,
              store,
              (_, _, _) -> {
                throw failure;
              },
              new Bounds(2, List.of(FIRST), Duration.ofDays(1), 10),
              now::get,
              Runnable::run,
              told::add);
      ends.run();
    }
    assertThat(told).isEmpty();
    round();
    assertThat(store.delivery(message.id()).state()).isEqualTo(State.DELIVERED);
  }

  /** While the server stops, its threads take nothing more. */
  @Test
  void aMessageThatNoThreadTakesIsNotUnderWay() {
    Delivery message = message(webhook());
    AtomicBoolean isStopping = new AtomicBoolean(true);
    WebhookDeliveries stops =
        new WebhookDeliveries(
            book,
            store,
            this::send,
            new Bounds(2, List.of(FIRST), Duration.ofDays(1), 10),
            now::get,
            task -> {
              if (isStopping.get()) {
                throw new RejectedExecutionException();
              }
              task.run();
            },
            told::add);
    stops.run();
    assertThat(posted).isEmpty();
    isStopping.set(false);
    stops.run();
    assertThat(store.delivery(message.id()).state()).isEqualTo(State.DELIVERED);
  }

  @Test
  void aRepositoryHasABoundedNumber() {
    for (int i = 0; i < WebhookBook.MAX_WEBHOOKS; i++) {
      var _ = webhook();
    }
    assertThat(book.create("r", URI.create("https://a.example/"), Set.of(EventKind.PUBLISHED)))
        .isEmpty();
    assertThat(book.of("r")).hasSize(WebhookBook.MAX_WEBHOOKS);
    assertThat(book.of("other")).isEmpty();
    assertThat(book.delete(book.all().getFirst())).isTrue();
    assertThat(book.all()).hasSize(WebhookBook.MAX_WEBHOOKS - 1);
  }
}
