package io.artifactserver.storage.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class DatabasePropertiesTest {
  @Test
  void defaults() {
    assertThat(bind(Map.of()))
        .isEqualTo(new DatabaseProperties("", "", "", 8, Duration.ofSeconds(30)));
    assertThat(bind(Map.of()).embedded()).isTrue();
  }

  @Test
  void everyName() {
    assertThat(
            bind(
                Map.of(
                    "artifact-server.database.url", "jdbc:postgresql://db/firmware",
                    "artifact-server.database.username", "operator",
                    "artifact-server.database.password", "secret",
                    "artifact-server.database.pool-size", "20",
                    "artifact-server.database.start-timeout", "2m")))
        .isEqualTo(
            new DatabaseProperties(
                "jdbc:postgresql://db/firmware", "operator", "secret", 20, Duration.ofMinutes(2)));
  }

  @Test
  void neverPrintsThePassword() {
    assertThat(
            new DatabaseProperties(
                    "jdbc:postgresql://db/firmware?password=hidden",
                    "operator",
                    "secret",
                    8,
                    Duration.ZERO)
                .toString())
        .contains("db/firmware", "operator")
        .doesNotContain("secret", "hidden");
  }

  @Test
  void refusesWhatItCannotServe() {
    Duration timeout = Duration.ofSeconds(30);
    assertThatThrownBy(
            () -> new DatabaseProperties("jdbc:mysql://u:secret@db/firmware", "", "", 8, timeout))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("jdbc:postgresql:")
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> new DatabaseProperties("", "operator", "", 8, timeout))
        .hasMessageContaining("artifact-server.database.url");
    assertThatThrownBy(() -> new DatabaseProperties("", "", "", 0, timeout))
        .hasMessageContaining("pool-size");
    assertThatThrownBy(() -> new DatabaseProperties("", "", "", 8, Duration.ofSeconds(-1)))
        .hasMessageContaining("start-timeout");
  }

  private static DatabaseProperties bind(Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate("artifact-server.database", DatabaseProperties.class);
  }
}
