package io.artifactserver.rest.app;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.BlobRegister;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/** Whether the blob store works, and whether it takes uploads. Thread-safe. */
@Component
public record StorageHealthIndicator(BlobStore store, BlobRegister register)
    implements HealthIndicator {
  @Override
  public Health health() {
    try {
      return Health.up()
          .withDetail("backend", store.name())
          .withDetail("uploads", hasRoom() ? "accepted" : "refused: there is no room for them")
          .withDetail("suspectBlobs", register.suspectCount())
          .build();
    } catch (StorageException | CatalogUnavailableException e) {
      return Health.down(e).build();
    }
  }

  /** A full store serves downloads, and a restart would not make room. */
  private boolean hasRoom() throws StorageException {
    try {
      store.check();
      return store.hasRoom();
    } catch (StorageException.StorageFull _) {
      return false;
    }
  }
}
