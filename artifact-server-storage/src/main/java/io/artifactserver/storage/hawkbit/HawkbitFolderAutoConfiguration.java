package io.artifactserver.storage.hawkbit;

import io.artifactserver.storage.mapped.MappedFiles;
import io.artifactserver.storage.mapped.MappedFilesAutoConfiguration;
import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** hawkBit's folder, where {@code artifact-server.hawkbit.artifacts} names one. */
@AutoConfiguration(after = MappedFilesAutoConfiguration.class)
@EnableConfigurationProperties(HawkbitFolderProperties.class)
public class HawkbitFolderAutoConfiguration {
  @Bean
  @ConditionalOnProperty("artifact-server.hawkbit.artifacts")
  HawkbitFolder hawkbitFolder(HawkbitFolderProperties properties, MappedFiles mappedFiles) {
    return new HawkbitFolder(Path.of(properties.artifacts()), mappedFiles);
  }
}
