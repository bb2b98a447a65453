package io.artifactserver.storage.local.folder;

import java.nio.file.Path;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** Takes the data folder when the first bean needs it, until the server stops. */
@AutoConfiguration
@EnableConfigurationProperties(DataFolderProperties.class)
public class DataFolderAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  DataFolder dataFolder(DataFolderProperties properties) {
    DataFolder folder = DataFolder.open(Path.of(properties.dataDir()));
    folder.reserve().start();
    return folder;
  }
}
