package io.artifactserver.rest.app;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.StorageException;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Whether blobs can be stored. Thread-safe. */
@Component
public class StorageHealthIndicator implements HealthIndicator {
  private final BlobStore store;

  public StorageHealthIndicator(BlobStore store) {
    this.store = store;
  }

  @Override
  public Health health() {
    try {
      store.check();
      return Health.up().withDetail("backend", store.name()).build();
    } catch (StorageException e) {
      return Health.down(e).build();
    }
  }
}
