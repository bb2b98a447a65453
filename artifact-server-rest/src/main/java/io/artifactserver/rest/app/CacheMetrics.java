package io.artifactserver.rest.app;

import io.artifactserver.core.blob.BlobCache;
import io.artifactserver.core.blob.BlobCache.Figures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.ToDoubleFunction;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.stereotype.Component;

/** Shows what the cache of a remote backend does, if there is one. */
@Component
public class CacheMetrics {
  private static final String PREFIX = "artifact_server.cache.";

  public CacheMetrics(ObjectProvider<BlobCache> cache, MeterRegistry registry) {
    cache.ifAvailable(found -> register(found, registry));
  }

  private static void register(BlobCache cache, MeterRegistry registry) {
    requests(cache, registry, "hit", figures -> (double) figures.hits());
    requests(cache, registry, "miss", figures -> (double) figures.misses());
    requests(cache, registry, "pass", figures -> (double) figures.passes());
    FunctionCounter.builder(PREFIX + "filled.bytes", cache, c -> (double) c.figures().filledBytes())
        .description("Bytes read from the backend into the cache")
        .baseUnit("bytes")
        .register(registry);
    FunctionCounter.builder(PREFIX + "evictions", cache, c -> (double) c.figures().evictions())
        .description("Blobs that made room for others")
        .register(registry);
    FunctionCounter.builder(
            PREFIX + "damaged.pieces", cache, c -> (double) c.figures().damagedPieces())
        .description("Pieces found damaged on the disk, and fetched again")
        .register(registry);
    Gauge.builder(PREFIX + "held.bytes", cache, c -> (double) c.figures().heldBytes())
        .description("Bytes that the cache holds")
        .baseUnit("bytes")
        .register(registry);
    Gauge.builder(PREFIX + "blobs", cache, c -> (double) c.figures().blobs())
        .description("Blobs that the cache holds, whole or in part")
        .register(registry);
  }

  private static void requests(
      BlobCache cache, MeterRegistry registry, String result, ToDoubleFunction<Figures> count) {
    FunctionCounter.builder(PREFIX + "requests", cache, c -> count.applyAsDouble(c.figures()))
        .description("Ranges asked of the cache: there, waited for, or read past it")
        .tags("result", result)
        .register(registry);
  }
}
