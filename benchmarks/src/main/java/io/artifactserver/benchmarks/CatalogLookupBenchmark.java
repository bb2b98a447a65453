package io.artifactserver.benchmarks;

import io.artifactserver.core.blob.BlobRef;
import io.artifactserver.core.catalog.Artifact;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import io.artifactserver.core.catalog.PathPolicy;
import io.artifactserver.core.catalog.Reach;
import io.artifactserver.core.catalog.Repository;
import io.artifactserver.core.digest.Digest;
import io.artifactserver.core.digest.DigestAlgorithm;
import io.artifactserver.core.digest.Digests;
import io.artifactserver.storage.catalog.CatalogProperties;
import io.artifactserver.storage.catalog.artifact.CachedArtifactCatalog;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Finding the artifact of a warm download, which every request does: beside the least it could
 * cost, a look into a hash map.
 */
// JMH calls the set-up before anything else; a constructor cannot do its work.
@SuppressWarnings("NullAway.Init")
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 4, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
public class CatalogLookupBenchmark {
  /** How many artifacts are asked for in turn. */
  @Param({"10", "1000"})
  int artifacts;

  private final Map<ArtifactId, Artifact> map = new ConcurrentHashMap<>();
  private ArtifactId[] ids;
  private ArtifactCatalog catalog;
  private int next;

  /** Asks for each once. */
  @Setup(Level.Trial)
  public void warm() {
    Repository repository =
        new Repository("boards", true, false, false, PathPolicy.DEFAULT, Instant.EPOCH);
    Digest digest = new Digest(DigestAlgorithm.SHA_256, "0".repeat(64));
    ids = new ArtifactId[artifacts];
    for (int i = 0; i < artifacts; i++) {
      String path = "board-%d/1.0/firmware.img".formatted(i);
      // Equal to the catalog's, and another object: a request brings its own.
      ids[i] = new ArtifactId("boards", path);
      map.put(
          new ArtifactId("boards", path),
          new Artifact(
              repository,
              path,
              new BlobRef("%032x".formatted(i), 1),
              "application/octet-stream",
              new Digests(Map.of(DigestAlgorithm.SHA_256, digest)),
              Instant.EPOCH));
    }
    catalog = catalog(database());
    for (ArtifactId id : map.keySet()) {
      catalog.find(id);
    }
  }

  /** The catalog under test. */
  protected ArtifactCatalog catalog(ArtifactCatalog database) {
    return new CachedArtifactCatalog(
        database, new CatalogProperties(10_000, Duration.ofDays(1), Duration.ZERO), Runnable::run);
  }

  /** The data plane's lookup on a connection's thread. */
  @Benchmark
  public Optional<Artifact> peek() {
    return catalog.find(nextId(), Reach.MEMORY);
  }

  /** The least it could cost. */
  @Benchmark
  public Optional<Artifact> hashMap() {
    return Optional.ofNullable(map.get(nextId()));
  }

  private ArtifactId nextId() {
    next = next + 1 < ids.length ? next + 1 : 0;
    return ids[next];
  }

  private ArtifactCatalog database() {
    return (ArtifactCatalog)
        Proxy.newProxyInstance(
            ArtifactCatalog.class.getClassLoader(),
            new Class<?>[] {ArtifactCatalog.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("find")) {
                return Optional.ofNullable(map.get(arguments[0]));
              }
              throw new UnsupportedOperationException(method.getName());
            });
  }
}
