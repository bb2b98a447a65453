package io.artifactserver.storage.remote.window;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** The one budget that the windows of all backends share. */
@AutoConfiguration
@EnableConfigurationProperties(WindowProperties.class)
public class WindowAutoConfiguration {
  private static final Logger LOGGER = LoggerFactory.getLogger(WindowAutoConfiguration.class);

  /** Chunks lie on the heap; what is left is for everything else, and for the collector. */
  private static final int HEAP_SHARE = 3;

  @Bean
  @ConditionalOnMissingBean
  @Lazy // Only remote backends use it, and only then does it matter how much the heap has room for.
  TransferBudget transferBudget(WindowProperties properties) {
    long budget = properties.readAheadBudget().toBytes();
    long bearable = Runtime.getRuntime().maxMemory() / HEAP_SHARE;
    if (budget > bearable) {
      LOGGER.warn(
          "artifact-server.storage.read-ahead-budget is {}, but the heap has room for {} MB only, which"
              + " is used instead. Raise the heap (-Xmx) to three times the budget.",
          properties.readAheadBudget(),
          bearable >> 20);
    }
    return new TransferBudget(Math.min(budget, bearable));
  }
}
