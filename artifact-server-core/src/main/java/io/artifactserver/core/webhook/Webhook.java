package io.artifactserver.core.webhook;

import java.net.URI;
import java.time.Instant;
import java.util.Set;

/**
 * A receiver of events of a repository. Immutable.
 *
 * @param url where messages are posted; may contain a secret
 * @param events kinds of which it is told
 * @param isEnabled whether it is told of anything now
 */
public record Webhook(
    long id,
    String repository,
    URI url,
    Set<EventKind> events,
    boolean isEnabled,
    Instant createdAt) {
  public Webhook {
    events = Set.copyOf(events);
  }

  /** The same with another state. */
  public Webhook enabled(boolean enabled) {
    return new Webhook(id, repository, url, events, enabled, createdAt);
  }

  /** Without the address, which may contain a secret. */
  @Override
  public String toString() {
    return "webhook %d of %s".formatted(id, repository);
  }
}
