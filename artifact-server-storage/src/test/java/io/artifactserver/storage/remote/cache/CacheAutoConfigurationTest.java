package io.artifactserver.storage.remote.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.artifactserver.core.blob.BlobCache;
import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.FakeRemoteStore;
import io.artifactserver.storage.backend.UnknownBackendAutoConfiguration;
import io.artifactserver.storage.local.file.FileBlobStore;
import io.artifactserver.storage.local.file.FileStorageAutoConfiguration;
import io.artifactserver.storage.local.folder.DataFolderAutoConfiguration;
import io.artifactserver.storage.local.mapped.MappedFilesAutoConfiguration;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.util.unit.DataSize;

class CacheAutoConfigurationTest {
  @TempDir private Path folder;

  private ApplicationContextRunner runner() {
    return new ApplicationContextRunner()
        .withConfiguration(
            AutoConfigurations.of(
                CacheAutoConfiguration.class,
                RemoteAutoConfiguration.class,
                DataFolderAutoConfiguration.class,
                MappedFilesAutoConfiguration.class,
                FileStorageAutoConfiguration.class,
                UnknownBackendAutoConfiguration.class))
        .withPropertyValues("artifact-server.data-dir=" + folder);
  }

  private ApplicationContextRunner remote() {
    return runner().withPropertyValues("artifact-server.storage.backend=far");
  }

  @Test
  void defaults() {
    remote()
        .run(context -> {
          assertThat(context.getBean(CacheProperties.class))
              .isEqualTo(
                  new CacheProperties(
                      false,
                      "",
                      DataSize.ofGigabytes(10),
                      DataSize.ofGigabytes(1),
                      CacheProperties.Fill.WHOLE,
                      DataSize.ofMegabytes(1),
                      32));
          assertThat(context.getBean(BlobStore.class)).isInstanceOf(FakeRemoteStore.class);
          assertThat(context).doesNotHaveBean(BlobCache.class);
        });
  }

  @Test
  void everyName() {
    Path other = folder.resolve("other");
    remote()
        .withPropertyValues(
            "artifact-server.storage.cache.enabled=true",
            "artifact-server.storage.cache.path=" + other,
            "artifact-server.storage.cache.max-size=3GB",
            "artifact-server.storage.cache.min-free=5MB",
            "artifact-server.storage.cache.fill=demanded",
            "artifact-server.storage.cache.piece-size=256KB",
            "artifact-server.storage.cache.max-fetches=7")
        .run(context -> {
          assertThat(context.getBean(CacheProperties.class))
              .isEqualTo(
                  new CacheProperties(
                      true,
                      other.toString(),
                      DataSize.ofGigabytes(3),
                      DataSize.ofMegabytes(5),
                      CacheProperties.Fill.DEMANDED,
                      DataSize.ofKilobytes(256),
                      7));
          assertThat(other).isDirectoryNotContaining(path -> !path.endsWith("lock"));
        });
  }

  @Test
  void whoeverAsksForTheStoreGetsTheCache() {
    remote()
        .withPropertyValues("artifact-server.storage.cache.enabled=true")
        .run(context -> {
          assertThat(context.getBean(BlobStore.class)).isInstanceOf(CachingBlobStore.class);
          assertThat(context.getBean(BlobStore.class).name()).isEqualTo("cached-remote");
          assertThat(context).hasSingleBean(BlobCache.class).hasSingleBean(FakeRemoteStore.class);
          assertThat(folder.resolve("cache"))
              .isDirectoryNotContaining(path -> !path.endsWith("lock"));
        });
  }

  /** The second one would serve the holes of the first one's files. */
  @Test
  void twoCachesInOneFolderAreRefused() {
    String[] settings = {
      "artifact-server.storage.cache.enabled=true",
      "artifact-server.storage.cache.path=" + folder.resolve("shared")
    };
    remote()
        .withPropertyValues(settings)
        .run(first -> {
          assertThat(first).hasNotFailed();
          remote()
              .withPropertyValues(settings)
              .withPropertyValues("artifact-server.data-dir=" + folder.resolve("second"))
              .run(second ->
                  assertThat(second.getStartupFailure())
                      .rootCause()
                      .hasMessageContaining("another artifact-server (in this very process) uses")
                      .hasMessageContaining("shared"));
        });
    remote().withPropertyValues(settings).run(again -> assertThat(again).hasNotFailed());
  }

  @Test
  void refusesToCacheLocalFiles() {
    runner()
        .withPropertyValues("artifact-server.storage.cache.enabled=true")
        .run(context ->
            assertThat(context.getStartupFailure())
                .rootCause()
                .hasMessageContaining("artifact-server.storage.cache.enabled")
                .hasMessageContaining("Leave the cache out"));
    runner()
        .run(context ->
            assertThat(context.getBean(BlobStore.class)).isInstanceOf(FileBlobStore.class));
  }

  @Test
  void anUnknownBackendIsStillTheComplaint() {
    runner()
        .withPropertyValues(
            "artifact-server.storage.backend=floppy", "artifact-server.storage.cache.enabled=true")
        .run(context ->
            assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("floppy"));
  }

  @Test
  void refusesValuesOutOfBounds() {
    for (String wrong :
        new String[] {
          "piece-size=63KB",
          "piece-size=65MB",
          "max-size=1023KB",
          "max-fetches=1",
          "max-fetches=1025",
          "min-free=-1B",
          "fill=sometimes"
        }) {
      remote()
          .withPropertyValues("artifact-server.storage.cache." + wrong)
          .run(context ->
              assertThat(context.getStartupFailure())
                  .as(wrong)
                  .hasStackTraceContaining("artifact-server.storage.cache.")
                  .hasStackTraceContaining(wrong.substring(0, wrong.indexOf('='))));
    }
  }

  /** As a backend has it. */
  @AutoConfiguration
  @ConditionalOnProperty(name = "artifact-server.storage.backend", havingValue = "far")
  static class RemoteAutoConfiguration {
    @Bean
    FakeRemoteStore farBlobStore() {
      return new FakeRemoteStore();
    }
  }
}
