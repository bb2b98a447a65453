package io.artifactserver.storage.hawkbit;

import io.artifactserver.core.blob.StorageException;
import io.artifactserver.storage.local.folder.DataFolder;
import io.artifactserver.storage.local.folder.DataFolderAutoConfiguration;
import io.artifactserver.storage.local.mapped.MappedFiles;
import io.artifactserver.storage.local.mapped.MappedFilesAutoConfiguration;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Files of what hawkBit grants: in its own folder, where {@code artifact-server.hawkbit.artifacts}
 * names one, or fetched from it with {@code artifact-server.hawkbit.pull}.
 */
@AutoConfiguration(after = {DataFolderAutoConfiguration.class, MappedFilesAutoConfiguration.class})
@EnableConfigurationProperties(HawkbitFolderProperties.class)
public class HawkbitFolderAutoConfiguration {
  /** In the data folder. */
  private static final String PULLED = "hawkbit";

  @Bean
  @Conditional(FolderIsNamed.class)
  HawkbitFolder hawkbitFolder(HawkbitFolderProperties properties, MappedFiles mappedFiles) {
    return new HawkbitFolder(Path.of(properties.artifacts()), mappedFiles);
  }

  @Bean
  @ConditionalOnBooleanProperty("artifact-server.hawkbit.pull")
  PulledFolder pulledFolder(
      HawkbitFolderProperties properties, DataFolder folder, MappedFiles mappedFiles)
      throws StorageException {
    return PulledFolder.open(
        folder.path().resolve(PULLED),
        properties.pullSize().toBytes(),
        folder.reserve()::hasRoomFor,
        properties.pullStreaming(),
        mappedFiles);
  }

  /** An empty name is none: compose files pass on variables that are not set. */
  static final class FolderIsNamed implements Condition {
    @Override
    public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
      return !context
          .getEnvironment()
          .getProperty("artifact-server.hawkbit.artifacts", "")
          .isEmpty();
    }
  }
}
