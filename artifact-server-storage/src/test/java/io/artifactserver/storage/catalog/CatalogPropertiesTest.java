package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.artifactserver.storage.backend.SetupException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class CatalogPropertiesTest {
  @Test
  void defaults() {
    assertThat(bind(Map.of()))
        .isEqualTo(new CatalogProperties(10_000, Duration.ofSeconds(60), Duration.ofHours(1)));
  }

  @Test
  void everyName() {
    assertThat(
            bind(
                Map.of(
                    "artifact-server.catalog.cache-size", "7",
                    "artifact-server.catalog.cache-ttl", "5s",
                    "artifact-server.catalog.stale-time", "2m")))
        .isEqualTo(new CatalogProperties(7, Duration.ofSeconds(5), Duration.ofMinutes(2)));
  }

  @Test
  void refusesNegativeValues() {
    assertThatThrownBy(() -> new CatalogProperties(-1, Duration.ZERO, Duration.ZERO))
        .hasMessageContaining("cache-size");
    assertThatThrownBy(() -> new CatalogProperties(0, Duration.ofSeconds(-1), Duration.ZERO))
        .hasMessageContaining("cache-ttl");
    assertThatThrownBy(() -> new CatalogProperties(0, Duration.ZERO, Duration.ofSeconds(-1)))
        .hasMessageContaining("stale-time");
  }

  /** Or a deletion would be served by another server when the bytes are gone. */
  @Test
  void entriesAreNotServedForLongerThanTheirBytesStay() {
    assertStarts(Map.of());
    assertStarts(
        Map.of(
            "artifact-server.catalog.cache-ttl", "15m",
            "artifact-server.retire.grace-period", "15m"));
    for (Map<String, String> settings :
        List.of(
            Map.of("artifact-server.catalog.cache-ttl", "901s"),
            Map.of("artifact-server.retire.grace-period", "59s"),
            Map.of(
                "artifact-server.catalog.cache-ttl", "2s",
                "artifact-server.retire.grace-period", "1s"))) {
      assertThatThrownBy(() -> start(settings))
          .isInstanceOf(SetupException.class)
          .hasMessageContaining("artifact-server.catalog.cache-ttl")
          .hasMessageContaining("artifact-server.retire.grace-period")
          .hasMessageContaining("Lower the one, or raise the other");
    }
  }

  private static void assertStarts(Map<String, String> settings) {
    assertThatCode(() -> start(settings)).doesNotThrowAnyException();
  }

  private static void start(Map<String, String> settings) {
    StandardEnvironment environment = new StandardEnvironment();
    environment
        .getPropertySources()
        .addFirst(new MapPropertySource("settings", Map.copyOf(settings)));
    ConfigurationPropertySources.attach(environment);
    var _ = new CatalogAutoConfiguration(bind(settings), environment);
  }

  private static CatalogProperties bind(Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("artifact-server.catalog", CatalogProperties.class);
  }
}
