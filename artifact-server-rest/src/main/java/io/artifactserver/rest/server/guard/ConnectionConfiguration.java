package io.artifactserver.rest.server.guard;

import io.artifactserver.core.access.AccessTokenStore;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.util.List;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Wires what watches connections. */
@Configuration(proxyBeanMethods = false)
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

  @Bean(destroyMethod = "close")
  Connections connections(
      ConnectionProperties properties, UnnamedProxies proxies, MeterRegistry registry) {
    return new Connections(properties, proxies, registry);
  }
}
