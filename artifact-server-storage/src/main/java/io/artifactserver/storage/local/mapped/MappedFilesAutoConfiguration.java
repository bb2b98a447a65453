package io.artifactserver.storage.local.mapped;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The mappings of whatever keeps blobs in local files. */
@AutoConfiguration
@EnableConfigurationProperties(MappedFilesProperties.class)
public class MappedFilesAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  MappedFiles mappedFiles(MappedFilesProperties properties) {
    return new MappedFiles(properties.mappedFiles(), properties.mappedFilesIdleTime());
  }

  @Bean
  IdleMappings idleMappings(MappedFiles mappedFiles, MappedFilesProperties properties) {
    return new IdleMappings(mappedFiles, properties.mappedFilesIdleTime());
  }
}
