package io.artifactserver.rest.connection;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires what watches connections. */
@Configuration(proxyBeanMethods = false)
public class ConnectionConfiguration {
  @Bean(destroyMethod = "close")
  Connections connections(ConnectionProperties properties, MeterRegistry registry) {
    return new Connections(properties, registry);
  }
}
