package io.artifactserver.benchmarks.planted;

import io.artifactserver.benchmarks.CatalogLookupBenchmark;
import io.artifactserver.core.catalog.ArtifactCatalog;
import io.artifactserver.core.catalog.ArtifactId;
import java.lang.reflect.Proxy;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** The catalog's benchmark, of one that asks the database for what it could remember. */
@State(Scope.Thread)
public class PlantedCatalog extends CatalogLookupBenchmark {
  private static final int ROUND_TRIP = 2_000;

  @Override
  protected ArtifactCatalog catalog(ArtifactCatalog database) {
    return (ArtifactCatalog)
        Proxy.newProxyInstance(
            ArtifactCatalog.class.getClassLoader(),
            new Class<?>[] {ArtifactCatalog.class},
            (proxy, method, arguments) -> {
              if (!method.getName().equals("find")) {
                return method.invoke(database, arguments);
              }
              // A stand-in for the way there and back: a hundred times shorter than a real one.
              byte[] row = new byte[ROUND_TRIP];
              for (int i = 1; i < row.length; i++) {
                row[i] = (byte) (row[i - 1] + i);
              }
              return database.find((ArtifactId) arguments[row[0] & 0]);
            });
  }
}
