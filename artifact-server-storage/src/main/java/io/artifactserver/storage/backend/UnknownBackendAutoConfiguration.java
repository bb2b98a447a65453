package io.artifactserver.storage.backend;

import io.artifactserver.core.blob.BlobStore;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;

/** Refuses a backend that none of the backends' own configurations answered to. */
@AutoConfiguration
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
public class UnknownBackendAutoConfiguration {
  private static final String PROPERTY = "artifact-server.storage.backend";

  @Bean
  @ConditionalOnMissingBean
  BlobStore unknownBackend(Environment environment) {
    throw new InvalidConfigurationPropertyValueException(
        PROPERTY, environment.getProperty(PROPERTY), "no such backend; use 'file' or 's3'");
  }
}
