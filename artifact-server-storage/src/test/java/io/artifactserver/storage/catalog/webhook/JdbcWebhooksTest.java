package io.artifactserver.storage.catalog.webhook;

import static io.artifactserver.storage.catalog.TestContent.digests;
import static io.artifactserver.storage.catalog.TestContent.newBlob;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.artifactserver.core.blob.DataKeyStore;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.progress.DeliveredBytes;
import io.artifactserver.core.progress.DeviceProgress;
import io.artifactserver.core.progress.ProgressStore;
import io.artifactserver.core.progress.ProgressStore.Addition;
import io.artifactserver.core.progress.ProgressSubject;
import io.artifactserver.core.progress.Sending;
import io.artifactserver.core.range.ByteRange;
import io.artifactserver.core.webhook.Delivery;
import io.artifactserver.core.webhook.Delivery.Answer;
import io.artifactserver.core.webhook.Delivery.Attempt;
import io.artifactserver.core.webhook.Delivery.State;
import io.artifactserver.core.webhook.DeliveryStore;
import io.artifactserver.core.webhook.EventKind;
import io.artifactserver.core.webhook.Webhook;
import io.artifactserver.core.webhook.WebhookSecrets;
import io.artifactserver.core.webhook.WebhookStore;
import io.artifactserver.storage.catalog.CatalogApplication;
import io.artifactserver.storage.catalog.CatalogTransactions;
import io.artifactserver.storage.postgres.TestDatabase;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Webhooks, their secrets, and what the database writes down for them. */
class JdbcWebhooksTest {
  private static final URI URL = URI.create("https://receiver.example/a?token=x");
  private static final Set<EventKind> ALL = EnumSet.allOf(EventKind.class);
  private static final Duration DAY = Duration.ofDays(1);

  private static CatalogApplication application;
  private static ArtifactCatalog catalog;
  private static WebhookStore webhooks;
  private static DeliveryStore deliveries;
  private static WebhookSecrets secrets;
  private static DataKeyStore dataKeys;

  private final String repository = "r" + UUID.randomUUID();

  @BeforeAll
  static void start() {
    application =
        new CatalogApplication(TestDatabase.create(), "artifact-server.catalog.cache-size=0");
    catalog = application.bean(ArtifactCatalog.class);
    webhooks = application.bean(WebhookStore.class);
    deliveries = application.bean(DeliveryStore.class);
    secrets = application.bean(WebhookSecrets.class);
    dataKeys = application.bean(DataKeyStore.class);
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @BeforeEach
  void create() {
    assertThat(catalog.createRepository(repository, true, false)).isPresent();
  }

  @AfterEach
  void deleteAll() {
    webhooks.all().forEach(webhook -> webhooks.delete(webhook.id()));
  }

  private Webhook webhook(Set<EventKind> events) {
    return webhooks.add(repository, URL, events, secrets.create(), 10).orElseThrow();
  }

  private void publish(String path) {
    String text = repository + path;
    catalog.add(new ArtifactId(repository, path), "text/plain", newBlob(text), digests(text));
  }

  private static List<Delivery> of(Webhook webhook) {
    return deliveries.list(webhook.id(), Long.MAX_VALUE, 100);
  }

  private static List<Delivery> due(Webhook webhook, Long... running) {
    return deliveries.due(Map.of(webhook.id(), 100), List.of(running), 100);
  }

  private static void attempted(Delivery delivery, int status, @Nullable Duration again) {
    deliveries.attempted(
        delivery.id(),
        new Attempt(
            Instant.parse("2026-01-02T03:04:05Z"),
            Duration.ofMillis(7),
            new Answer(status, status == 200 ? "" : "no")),
        again);
  }

  @Test
  void aWebhookIsKept() {
    Webhook webhook = webhook(Set.of(EventKind.PUBLISHED, EventKind.STOPPED));
    assertThat(webhooks.all()).containsExactly(webhook);
    assertThat(webhook.url()).isEqualTo(URL);
    assertThat(webhook.isEnabled()).isTrue();
    assertThat(webhook.toString()).doesNotContain("token");
    Webhook changed =
        new Webhook(
            webhook.id(),
            repository,
            URI.create("https://other.example/"),
            ALL,
            false,
            webhook.createdAt());
    assertThat(webhooks.change(changed)).isTrue();
    assertThat(webhooks.all()).containsExactly(changed);
    assertThat(webhooks.add(repository, URL, ALL, secrets.create(), 1)).isEmpty();
    assertThat(webhooks.add("absent", URL, ALL, secrets.create(), 1)).isEmpty();
    assertThat(webhooks.delete(webhook.id())).isTrue();
    assertThat(webhooks.delete(webhook.id())).isFalse();
    assertThat(webhooks.change(changed)).isFalse();
    assertThat(webhooks.rotate(webhook.id(), "x", DAY)).isFalse();
    assertThat(webhooks.secrets(webhook.id())).isEmpty();
  }

  /** The sweep of unused keys leaves the keys of webhooks alone. */
  @Test
  void aSecretIsWrappedAndGoesWithItsWebhook() {
    Webhook webhook = webhook(ALL);
    String first = webhooks.secrets(webhook.id()).getFirst();
    byte[] secret = secrets.find(first).orElseThrow();
    assertThat(secret).hasSize(32);
    HexFormat hex = HexFormat.of();
    assertThat(hex.formatHex(dataKeys.find(first).orElseThrow().wrapped()))
        .doesNotContain(hex.formatHex(secret));
    String second = secrets.create();
    assertThat(webhooks.rotate(webhook.id(), second, DAY)).isTrue();
    assertThat(webhooks.secrets(webhook.id())).containsExactly(second, first);
    String lost = secrets.create();
    dataKeys.deleteOrphans(Instant.parse("2999-01-01T00:00:00Z"));
    assertThat(secrets.find(lost)).isEmpty();
    assertThat(secrets.find(first)).isPresent();
    String third = secrets.create();
    assertThat(webhooks.rotate(webhook.id(), third, Duration.ZERO)).isTrue();
    assertThat(webhooks.secrets(webhook.id()))
        .as("the former one's time is over")
        .containsExactly(third);
    assertThat(webhooks.delete(webhook.id())).isTrue();
    assertThat(secrets.find(second)).isEmpty();
    assertThat(secrets.find(third)).isEmpty();
  }

  @Test
  void artifactsThatComeAndGoAreWrittenDown() {
    Webhook webhook = webhook(Set.of(EventKind.PUBLISHED, EventKind.DELETED));
    Webhook other = webhook(Set.of(EventKind.DELETED));
    publish("1.0/a \"b\"");
    publish("1.0/a \"b\"");
    catalog.remove(new ArtifactId(repository, "1.0/a \"b\""));
    List<Delivery> told = of(webhook);
    assertThat(told)
        .extracting(Delivery::kind)
        .containsExactly(EventKind.DELETED, EventKind.PUBLISHED);
    assertThat(told.getFirst().number()).isGreaterThan(told.getLast().number());
    assertThat(told.getLast().data())
        .contains(
            repository,
            "\"1.0/a \\\"b\\\"\"",
            digests(repository + "1.0/a \"b\"").sha256().hex(),
            "text/plain",
            "\"length\" : " + (repository + "1.0/a \"b\"").length());
    assertThat(told.getLast().state()).isEqualTo(State.WAITING);
    assertThat(of(other)).extracting(Delivery::message).containsExactly(told.getFirst().message());
    assertThat(of(other)).extracting(Delivery::number).containsExactly(told.getFirst().number());
    assertThat(webhooks.change(webhook.enabled(false))).isTrue();
    publish("1.1/a");
    assertThat(of(webhook)).hasSize(2);
  }

  /** Nothing is told that did not happen, and everything that did. */
  @Test
  void anEventIsOfTheTransactionOfItsChange() {
    Webhook webhook = webhook(ALL);
    CatalogTransactions transactions = application.bean(CatalogTransactions.class);
    assertThatIllegalStateException()
        .isThrownBy(() ->
            transactions.write(_ -> {
              deliveries.tell(repository, EventKind.RELEASED, "{\"a\": 1}");
              publish("undone");
              throw new IllegalStateException("undone");
            }));
    assertThat(of(webhook)).isEmpty();
    deliveries.tell(repository, EventKind.RELEASED, "{\"a\": 1}");
    deliveries.tell("absent", EventKind.RELEASED, "{}");
    assertThat(of(webhook)).extracting(Delivery::data).containsExactly("{\"a\": 1}");
  }

  @Test
  void aDeviceThatHasAllOfAnArtifactIsWrittenDownOnce() {
    Webhook webhook = webhook(Set.of(EventKind.COMPLETED));
    publish("b");
    publish("a");
    String text = repository + "b";
    catalog.add(new ArtifactId(repository, "c"), "text/plain", newBlob(text), digests(text));
    deliver(text, "begun", 0, 5);
    assertThat(of(webhook)).isEmpty();
    deliver(text, "begun", 5, text.length() - 5);
    deliver(text, "begun", 0, text.length());
    deliver(text, "at once \u2713", 0, text.length());
    List<Delivery> told = of(webhook);
    assertThat(told).hasSize(2);
    assertThat(told.getFirst().data())
        .contains("at once \u2713", digests(text).sha256().hex(), "[\"b\",\"c\"]");
    assertThat(told.getLast().data()).contains("begun");
  }

  private void deliver(String text, String device, long position, long length) {
    Instant now = Instant.parse("2026-01-02T03:04:05Z");
    application
        .bean(ProgressStore.class)
        .add(
            List.of(
                new Addition(
                    new ProgressSubject(repository, digests(text).sha256(), text.length()),
                    new DeviceProgress(
                        device,
                        DeliveredBytes.of(new ByteRange(position, length)),
                        new Sending(now, now, length, 0, Duration.ZERO),
                        null),
                    null)),
            _ -> true);
  }

  @Test
  void aDeliveryWaitsUntilItIsOver() {
    Webhook webhook = webhook(ALL);
    Delivery first = deliveries.tell(webhook.id(), EventKind.PING, "{}").orElseThrow();
    Delivery second = deliveries.tell(webhook.id(), EventKind.PING, "{}").orElseThrow();
    assertThat(deliveries.tell(0, EventKind.PING, "{}")).isEmpty();
    assertThat(due(webhook)).extracting(Delivery::id).containsExactly(first.id(), second.id());
    assertThat(due(webhook, first.id())).extracting(Delivery::id).containsExactly(second.id());
    assertThat(deliveries.due(Map.of(webhook.id(), 1), List.of(), 100)).hasSize(1);
    attempted(first, 500, DAY);
    attempted(second, 200, null);
    assertThat(due(webhook)).isEmpty();
    assertThat(of(webhook))
        .extracting(Delivery::state)
        .containsExactly(State.DELIVERED, State.WAITING);
    Delivery waiting = of(webhook).getLast();
    assertThat(waiting.attempts()).isEqualTo(1);
    assertThat(waiting.last())
        .isEqualTo(
            new Attempt(
                Instant.parse("2026-01-02T03:04:05Z"),
                Duration.ofMillis(7),
                new Answer(500, "no")));
    assertThat(waiting.nextAttempt()).isAfter(waiting.at().plus(DAY).minusSeconds(60));
    attempted(first, 0, null);
    assertThat(of(webhook).getLast().state()).isEqualTo(State.FAILED);
    assertThat(deliveries.repeat(webhook.id(), first.id()).orElseThrow().attempts()).isZero();
    assertThat(deliveries.repeat(0, first.id())).isEmpty();
    assertThat(due(webhook)).extracting(Delivery::id).containsExactly(first.id());
    assertThat(deliveries.list(webhook.id(), second.id(), 100))
        .extracting(Delivery::id)
        .containsExactly(first.id());
  }

  @Test
  void theLogIsBounded() {
    Webhook webhook = webhook(ALL);
    for (int i = 0; i < 6; i++) {
      Delivery delivery = deliveries.tell(webhook.id(), EventKind.PING, "{}").orElseThrow();
      if (i % 2 == 1) {
        attempted(delivery, 200, null);
      }
    }
    List<Long> all = of(webhook).stream().map(Delivery::id).toList();
    assertThat(deliveries.trim(DAY, 6)).isZero();
    assertThat(deliveries.trim(DAY, 4)).as("those that wait stay").isZero();
    assertThat(of(webhook))
        .extracting(Delivery::id)
        .containsExactly(all.get(0), all.get(1), all.get(3), all.get(5));
    assertThat(deliveries.trim(DAY, 2)).as("the oldest is lost").isEqualTo(1);
    assertThat(of(webhook)).extracting(Delivery::id).containsExactly(all.get(1), all.get(3));
    assertThat(deliveries.trim(Duration.ZERO, 2)).isEqualTo(2);
    assertThat(of(webhook)).isEmpty();
  }
}
