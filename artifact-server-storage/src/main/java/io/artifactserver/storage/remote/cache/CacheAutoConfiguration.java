package io.artifactserver.storage.remote.cache;

import io.artifactserver.core.blob.BlobStore;
import io.artifactserver.core.blob.StorageException;
import io.artifactserver.core.file.DurableFiles;
import io.artifactserver.storage.local.folder.DataFolder;
import io.artifactserver.storage.local.folder.DataFolderAutoConfiguration;
import io.artifactserver.storage.local.folder.FolderLock;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.local.mapped.MappedFilesAutoConfiguration;
import java.io.IOException;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Primary;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/**
 * Puts the cache in front of the backend's store: {@code
 * artifact-server.storage.cache.enabled=true}.
 *
 * <p>A backend contributes one bean of type {@link BlobStore}, of any name, and is told nothing of
 * the cache. A bean that asks for a {@code BlobStore}, such as the encryption, gets the cache,
 * because it is the primary one.
 */
@AutoConfiguration(after = {DataFolderAutoConfiguration.class, MappedFilesAutoConfiguration.class})
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE - 1)
@EnableConfigurationProperties(CacheProperties.class)
public class CacheAutoConfiguration {
  private static final String FOLDER = "cache";
  private static final String ENABLED = CacheProperties.PREFIX + ".enabled";

  /**
   * @throws InvalidConfigurationPropertyValueException if blobs lie in local files anyway
   */
  @Bean
  @Primary
  @ConditionalOnProperty(name = ENABLED, havingValue = "true")
  @ConditionalOnBean(BlobStore.class)
  CachingBlobStore cachingBlobStore(
      BlobStore remote,
      CacheProperties properties,
      FolderLock folder,
      MappedFiles mappedFiles,
      Environment environment)
      throws StorageException {
    String backend = environment.getProperty("artifact-server.storage.backend", "file");
    if (backend.equals("file")) {
      throw new InvalidConfigurationPropertyValueException(
          ENABLED,
          properties.enabled(),
          "the backend 'file' keeps its blobs on the local disk anyway. Leave the cache out, or"
              + " choose a remote backend with artifact-server.storage.backend");
    }
    return CachingBlobStore.open(remote, folder.path(), properties, mappedFiles);
  }

  /** Two caches in one folder would serve each other's half-filled files. */
  @Bean
  @ConditionalOnProperty(name = ENABLED, havingValue = "true")
  FolderLock cacheFolder(CacheProperties properties, DataFolder dataFolder)
      throws StorageException {
    Path folder =
        properties.path().isEmpty()
            ? dataFolder.path().resolve(FOLDER)
            : Path.of(properties.path()).toAbsolutePath();
    try {
      DurableFiles.createFolder(folder);
      return FolderLock.take(folder);
    } catch (IOException e) {
      throw CachingBlobStore.unusable(folder, e);
    }
  }
}
