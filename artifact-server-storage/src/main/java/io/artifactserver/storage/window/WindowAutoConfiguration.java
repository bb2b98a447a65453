package io.artifactserver.storage.window;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** The one budget that the windows of all backends share. */
@AutoConfiguration
@EnableConfigurationProperties(WindowProperties.class)
public class WindowAutoConfiguration {
  @Bean
  @ConditionalOnMissingBean
  TransferBudget transferBudget(WindowProperties properties) {
    return new TransferBudget(properties.readAheadBudget().toBytes());
  }
}
