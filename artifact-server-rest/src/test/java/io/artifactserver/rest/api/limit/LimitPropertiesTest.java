package io.artifactserver.rest.api.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.artifactserver.core.limit.QueueBounds;
import io.artifactserver.core.limit.RepositoryLimits;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.util.unit.DataSize;

/** The default, the name, and the bounds. */
class LimitPropertiesTest {
  @Test
  void thereIsNoLimitByDefault() {
    assertThat(bind(Map.of()).rate()).isEqualTo(RepositoryLimits.NO_LIMIT);
    assertThat(bind(Map.of("artifact-server.limit.bytes-per-second", "100MB")).rate())
        .isEqualTo(100L << 20);
  }

  @Test
  void aQueueHasPlaces() {
    assertThat(bind(Map.of()).queueBounds()).isEqualTo(new QueueBounds(10_000, 1000));
    assertThat(
            bind(Map.of(
                    "artifact-server.limit.max-waiting", "5",
                    "artifact-server.limit.max-waiting-of-one-client", "2"))
                .queueBounds())
        .isEqualTo(new QueueBounds(5, 2));
    for (int places : new int[] {0, -1, 1_000_001}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new LimitProperties(null, places, 1))
          .withMessageContaining("artifact-server.limit.max-waiting");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new LimitProperties(null, 1, places))
          .withMessageContaining("artifact-server.limit.max-waiting-of-one-client");
    }
  }

  @Test
  void zeroIsNoLimitThatCanBeKept() {
    for (long bytes : new long[] {0, -1, RepositoryLimits.MAX_BYTES_PER_SECOND + 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new LimitProperties(DataSize.ofBytes(bytes), 1, 1))
          .withMessageContaining("artifact-server.limit.bytes-per-second");
    }
  }

  private static LimitProperties bind(Map<String, String> values) {
    return new Binder(new MapConfigurationPropertySource(values))
        .bindOrCreate("artifact-server.limit", LimitProperties.class);
  }
}
