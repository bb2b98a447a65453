package io.artifactserver.rest.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.ForwardingBlobStore;
import io.artifactserver.core.blob.InMemoryBlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.catalog.InMemoryArtifactCatalog;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

class StorageHealthIndicatorTest {
  private final BlobStore store = new InMemoryBlobStore();

  @Test
  void aStoreThatWorksTakesUploads() {
    Health health = health(store);
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    assertThat(health.getDetails()).containsEntry("uploads", "accepted");
  }

  @Test
  void withoutRoomDownloadsGoOn() {
    requireRefused(
        new ForwardingBlobStore(store) {
          @Override
          public boolean hasRoom() {
            return false;
          }
        });
  }

  @Test
  void withoutAByteLeftDownloadsGoOn() {
    requireRefused(failing(new StorageException.StorageFull("memory", "planted", null)));
  }

  @Test
  void aStoreThatCannotBeAskedIsDown() {
    BlobStore broken = failing(new StorageException.StorageUnavailable("memory", "planted", null));
    assertThat(health(broken).getStatus()).isEqualTo(Status.DOWN);
  }

  private static BlobStore failing(StorageException failure) {
    return new ForwardingBlobStore(new InMemoryBlobStore()) {
      @Override
      public void check() throws StorageException {
        throw failure;
      }
    };
  }

  private static void requireRefused(BlobStore full) {
    Health health = health(full);
    assertThat(health.getStatus()).isEqualTo(Status.UP);
    assertThat(health.getDetails()).containsEntry("uploads", "refused: there is no room for them");
  }

  private static Health health(BlobStore store) {
    return new StorageHealthIndicator(store, new InMemoryArtifactCatalog()).health();
  }
}
