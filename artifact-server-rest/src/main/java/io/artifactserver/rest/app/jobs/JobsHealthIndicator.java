package io.artifactserver.rest.app.jobs;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Tells operators which background jobs fail. The server is up all the same: a balancer that took
 * it away would stop downloads that go on well. Thread-safe.
 */
@Component
public record JobsHealthIndicator(Jobs jobs) implements HealthIndicator {
  @Override
  public Health health() {
    return Health.up().withDetail("failing", jobs.failing()).build();
  }
}
