package io.artifactserver.rest.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The defaults, every name, and the bounds. */
class PollPropertiesTest {
  @Test
  void defaults() {
    assertThat(bind(Map.of()))
        .isEqualTo(new PollProperties(Duration.ofMinutes(5), 2000, "id", "release"));
  }

  @Test
  void everyName() {
    assertThat(
            bind(
                Map.of(
                    "artifact-server.poll.interval", "30s",
                    "artifact-server.poll.max-rate", "7",
                    "artifact-server.poll.device-parameter", "serial",
                    "artifact-server.poll.release-parameter", "fw")))
        .isEqualTo(new PollProperties(Duration.ofSeconds(30), 7, "serial", "fw"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT0.9S", "P1D", "PT-1S"})
  void refusesIntervalsOutOfBounds(Duration interval) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PollProperties(interval, 1, "id", "release"))
        .withMessageContaining("artifact-server.poll.interval");
  }

  @Test
  void refusesAParameterWithoutAName() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PollProperties(Duration.ofMinutes(5), 1, "id", ""))
        .withMessageContaining("artifact-server.poll.release-parameter");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PollProperties(Duration.ofMinutes(5), 1, "", "release"))
        .withMessageContaining("artifact-server.poll.device-parameter");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PollProperties(Duration.ofMinutes(5), 0, "id", "release"))
        .withMessageContaining("artifact-server.poll.max-rate");
  }

  private static PollProperties bind(Map<String, String> settings) {
    return new Binder(new MapConfigurationPropertySource(settings))
        .bindOrCreate("artifact-server.poll", PollProperties.class);
  }
}
