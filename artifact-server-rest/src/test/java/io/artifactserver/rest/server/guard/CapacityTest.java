package io.artifactserver.rest.server.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class CapacityTest {
  private static final long MEGABYTE = 1 << 20;

  private final ConnectionProperties properties =
      new Binder(new MapConfigurationPropertySource(Map.of()))
          .bindOrCreate("artifact-server.connections", ConnectionProperties.class);

  @Test
  void theDefaultsFitIntoTheHeapThatTheDocumentationAsksFor() {
    // The serial collector keeps a part of 512 MB for itself.
    assertThat(Capacity.of(properties, 494 * MEGABYTE, Integer.MAX_VALUE))
        .isEqualTo(new Capacity(properties.max(), properties.maxHeld().toBytes()));
  }

  @ParameterizedTest
  @ValueSource(ints = {128, 192, 256, 384})
  void aSmallHeapTakesFewerConnectionsAndHoldsLessForThem(int megabytes) {
    long heap = megabytes * MEGABYTE;
    Capacity capacity = Capacity.of(properties, heap, Integer.MAX_VALUE);
    assertThat(capacity.connections()).isLessThan(properties.max()).isGreaterThanOrEqualTo(500);
    assertThat(capacity.held()).isLessThan(properties.maxHeld().toBytes()).isPositive();
    long both = capacity.connections() * 7000L + capacity.held();
    // The program itself takes 50 MB.
    assertThat(both + 50_000_000).isLessThan(heap);
  }

  @Test
  void fewDescriptorsAreFewConnections() {
    assertThat(Capacity.of(properties, 1 << 30, 300).connections()).isEqualTo(300);
  }
}
