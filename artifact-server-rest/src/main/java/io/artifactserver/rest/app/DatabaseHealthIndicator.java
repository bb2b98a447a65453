package io.artifactserver.rest.app;

import io.artifactserver.core.catalog.CatalogDatabase;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Whether the embedded database runs; part of readiness. The operator's own database is not: a
 * balancer would take away every server at once, although each could serve what it knows.
 * Thread-safe.
 */
@Component("embeddedDatabase")
public record DatabaseHealthIndicator(CatalogDatabase database) implements HealthIndicator {
  @Override
  public Health health() {
    return database.isRunning() ? Health.up().build() : Health.down().build();
  }
}
