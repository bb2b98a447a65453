package io.artifactserver.rest.app;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Whether blobs can be stored. Thread-safe. */
@Component
public class StorageHealthIndicator implements HealthIndicator {
  private final BlobStore store;

  private final BlobRegister register;

  public StorageHealthIndicator(BlobStore store, BlobRegister register) {
    this.store = store;
    this.register = register;
  }

  @Override
  public Health health() {
    try {
      store.check();
      return Health.up()
          .withDetail("backend", store.name())
          .withDetail("suspectBlobs", register.suspectCount())
          .build();
    } catch (StorageException | CatalogUnavailableException e) {
      return Health.down(e).build();
    }
  }
}
