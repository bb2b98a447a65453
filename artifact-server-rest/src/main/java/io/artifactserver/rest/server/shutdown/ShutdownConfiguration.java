package io.artifactserver.rest.server.shutdown;

import io.artifactserver.rest.server.guard.Connections;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires how the server stops. */
@Configuration(proxyBeanMethods = false)
public class ShutdownConfiguration {
  @Bean
  GracefulStop gracefulStop(ShutdownProperties properties, Connections connections) {
    return new GracefulStop(properties.delay(), connections);
  }
}
