package io.artifactserver.storage.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

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

  private static CatalogProperties bind(Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("artifact-server.catalog", CatalogProperties.class);
  }
}
