package io.artifactserver.rest.server.guard;

import io.artifactserver.core.access.AccessTokenStore;
import java.nio.file.Path;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Wires what watches connections. */
@Configuration(proxyBeanMethods = false)
@Import(Connections.class)
public class ConnectionConfiguration {
  /**
   * @param tokens are there once this process has locked the data folder
   */
  @Bean
  UnnamedProxies unnamedProxies(
      @Value("${artifact-server.data-dir}") String dataFolder, AccessTokenStore tokens) {
    UnnamedProxiesFile file = new UnnamedProxiesFile(Path.of(dataFolder));
    // Those of before may be named by now.
    file.write(List.of());
    return new UnnamedProxies(file::write);
  }

  /** Tells operators which proxies in front nobody named. The server is up all the same. */
  @Bean
  HealthIndicator proxiesHealthIndicator(UnnamedProxies proxies) {
    return () -> Health.up().withDetail("unnamed", proxies.addresses()).build();
  }
}
