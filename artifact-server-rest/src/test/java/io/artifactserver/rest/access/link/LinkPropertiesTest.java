package io.artifactserver.rest.access.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

/** The record of this room: the defaults, every name, and the bounds. */
class LinkPropertiesTest {
  private static final String LINKS = "artifact-server.links";

  @Test
  void defaults() {
    assertThat(bind(Map.of()))
        .isEqualTo(new LinkProperties(Duration.ofDays(7), Duration.ofSeconds(30), Set.of()));
  }

  @Test
  void everyName() {
    assertThat(
            bind(
                Map.of(
                    LINKS + ".max-expiry", "1d",
                    LINKS + ".clock-skew", "0s",
                    LINKS + ".appended-parameters", "edge,trace")))
        .isEqualTo(new LinkProperties(Duration.ofDays(1), Duration.ZERO, Set.of("edge", "trace")));
  }

  @Test
  void refusesValuesOutOfBounds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LinkProperties(Duration.ZERO, Duration.ZERO, Set.of()))
        .withMessageContaining(LINKS + ".max-expiry");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new LinkProperties(Duration.ofDays(1), Duration.ofDays(1), Set.of()))
        .withMessageContaining(LINKS + ".clock-skew");
  }

  private static LinkProperties bind(Map<String, String> properties) {
    return new Binder(new MapConfigurationPropertySource(properties))
        .bindOrCreate(LINKS, LinkProperties.class);
  }
}
