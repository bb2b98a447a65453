package io.artifactserver.rest.server.guard;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Tells operators which proxies in front nobody named. The server is up all the same. Thread-safe.
 */
@Component
public record ProxiesHealthIndicator(UnnamedProxies proxies) implements HealthIndicator {
  @Override
  public Health health() {
    return Health.up().withDetail("unnamed", proxies.addresses()).build();
  }
}
