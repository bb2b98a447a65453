package io.artifactserver.rest.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

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
  void zeroIsNoLimitThatCanBeKept() {
    for (long bytes : new long[] {0, -1, RepositoryLimits.MAX_BYTES_PER_SECOND + 1}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new LimitProperties(DataSize.ofBytes(bytes)))
          .withMessageContaining("artifact-server.limit.bytes-per-second");
    }
  }

  private static LimitProperties bind(Map<String, String> values) {
    return new Binder(new MapConfigurationPropertySource(values))
        .bindOrCreate("artifact-server.limit", LimitProperties.class);
  }
}
