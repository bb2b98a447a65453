package io.artifactserver.rest.api.webhook;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The defaults, every name, the bounds; and which addresses a webhook may have. */
class WebhookPropertiesTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  @Test
  void defaults() {
    assertThat(bind(Map.of()))
        .isEqualTo(
            new WebhookProperties(
                List.of(),
                List.of(),
                Duration.ofSeconds(10),
                List.of(
                    Duration.ofSeconds(5),
                    Duration.ofMinutes(1),
                    Duration.ofMinutes(5),
                    Duration.ofMinutes(30),
                    Duration.ofHours(2),
                    Duration.ofHours(5),
                    Duration.ofHours(10),
                    Duration.ofHours(14),
                    Duration.ofHours(20),
                    Duration.ofHours(24)),
                32,
                Duration.ofDays(30),
                10_000));
  }

  @Test
  void everyName() {
    assertThat(
            bind(
                Map.of(
                    "artifact-server.webhooks.hosts", "a.example",
                    "artifact-server.webhooks.private-hosts", "b:8080",
                    "artifact-server.webhooks.timeout", "3s",
                    "artifact-server.webhooks.retry-delays", "1s,2s",
                    "artifact-server.webhooks.max-concurrent", "4",
                    "artifact-server.webhooks.retention", "1d",
                    "artifact-server.webhooks.max-deliveries", "5")))
        .isEqualTo(
            new WebhookProperties(
                List.of("a.example"),
                List.of("b:8080"),
                Duration.ofSeconds(3),
                List.of(SECOND, Duration.ofSeconds(2)),
                4,
                Duration.ofDays(1),
                5));
  }

  @ParameterizedTest
  @CsvSource({
    "hosts, *",
    "private-hosts, http://a",
    "timeout, 0s",
    "retry-delays, 0s",
    "max-concurrent, 1",
    "max-concurrent, 1001",
    "retention, 0s",
    "max-deliveries, 0",
  })
  void refusesValuesOutOfBounds(String name, String value) {
    String property = "artifact-server.webhooks." + name;
    assertThatThrownBy(() -> bind(Map.of(property, value)))
        .rootCause()
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(property);
  }

  @ParameterizedTest
  @CsvSource({
    "https://a.example/x?token=y, true, true",
    "HTTPS://a.example, true, true",
    "https://b.example:8443/x, true, false",
    "https://inside/x, true, true",
    "http://inside:8080/x, true, true",
    "http://inside/x, false, ",
    "http://a.example/x, false, ",
    "ftp://a.example/x, false, ",
    "https:///x, false, ",
    "https:a.example, false, ",
    "https://me:secret@a.example/x, false, ",
    "https://a.example/x#y, false, ",
  })
  void addresses(String url, boolean isGood, Boolean isListed) {
    WebhookProperties properties =
        bind(
            Map.of(
                "artifact-server.webhooks.hosts", "a.example",
                "artifact-server.webhooks.private-hosts", "inside,inside:8080"));
    URI parsed = URI.create(url);
    assertThat(properties.fault(parsed).isEmpty()).isEqualTo(isGood);
    if (isGood) {
      assertThat(properties.lists(parsed)).isEqualTo(isListed);
    }
  }

  private static WebhookProperties bind(Map<String, String> values) {
    return new Binder(new MapConfigurationPropertySource(values))
        .bindOrCreate("artifact-server.webhooks", WebhookProperties.class);
  }
}
