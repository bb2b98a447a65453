package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobCache;
import io.artifactserver.core.blob.BlobCache.Figures;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

class CacheMetricsTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @Test
  void showsEveryFigure() {
    BlobCache cache = () -> new Figures(1, 2, 3, 4, 5, 6, 7, 8);
    var beans = new StaticListableBeanFactory(Map.of("cache", cache));
    assertThat(new CacheMetrics(beans.getBeanProvider(BlobCache.class), registry)).isNotNull();
    assertThat(requests("hit")).isEqualTo(1);
    assertThat(requests("miss")).isEqualTo(2);
    assertThat(requests("pass")).isEqualTo(3);
    assertThat(counted("filled.bytes")).isEqualTo(4);
    assertThat(counted("evictions")).isEqualTo(5);
    assertThat(counted("damaged.pieces")).isEqualTo(6);
    assertThat(registry.get("artifact_server.cache.held.bytes").gauge().value()).isEqualTo(7);
    assertThat(registry.get("artifact_server.cache.blobs").gauge().value()).isEqualTo(8);
  }

  @Test
  void showsNothingWithoutACache() {
    var beans = new StaticListableBeanFactory();
    assertThat(new CacheMetrics(beans.getBeanProvider(BlobCache.class), registry)).isNotNull();
    assertThat(registry.getMeters()).isEmpty();
  }

  private double requests(String result) {
    return registry
        .get("artifact_server.cache.requests")
        .tag("result", result)
        .functionCounter()
        .count();
  }

  private double counted(String name) {
    return registry.get("artifact_server.cache." + name).functionCounter().count();
  }
}
