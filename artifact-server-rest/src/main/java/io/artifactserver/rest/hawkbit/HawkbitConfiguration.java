package io.artifactserver.rest.hawkbit;

import io.artifactserver.core.hawkbit.GrantedFiles;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Asks hawkBit, where {@code artifact-server.hawkbit.url} names one. */
@Configuration(proxyBeanMethods = false)
public class HawkbitConfiguration {
  @Bean
  @ConditionalOnProperty("artifact-server.hawkbit.url")
  Hawkbit hawkbit(
      HawkbitGrantProperties properties,
      ObjectProvider<GrantedFiles> files,
      JsonMapper mapper,
      MeterRegistry registry) {
    GrantedFiles folder = files.getIfAvailable();
    if (folder == null) {
      throw new IllegalStateException(
          "artifact-server.hawkbit.url is set, and artifact-server.hawkbit.artifacts is not:"
              + " mount hawkBit's folder of artifacts read-only, and name it there");
    }
    return new Hawkbit(properties, folder, mapper, registry);
  }
}
