package io.artifactserver.rest.access;

import io.artifactserver.core.access.AccessTokenStore;
import io.artifactserver.core.catalog.CatalogUnavailableException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.scheduling.annotation.Scheduled;

/**
 * Notes which tokens are used, and tells the database once a minute: an update for each token that
 * was used in it, however often. Thread-safe.
 */
public final class TokenUses implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TokenUses.class);
  private static final long INTERVAL_MILLIS = 60_000;

  private final AccessTokenStore tokens;
  private final InstantSource clock;

  /** Good tokens only, so there are no more of them than in the database. */
  private final Map<String, Instant> uses = new ConcurrentHashMap<>();

  public TokenUses(AccessTokenStore tokens, InstantSource clock) {
    this.tokens = tokens;
    this.clock = clock;
  }

  /** Notes a use. For every request: the first of a minute counts. */
  void note(String id) {
    if (!uses.containsKey(id)) {
      uses.put(id, clock.instant());
    }
  }

  /** Tells the database. A use that it does not take is told the next time. */
  @Scheduled(initialDelay = INTERVAL_MILLIS, fixedDelay = INTERVAL_MILLIS)
  public void flush() {
    Map<String, Instant> told = new HashMap<>(uses);
    try {
      tokens.used(told);
      told.forEach(uses::remove);
    } catch (CatalogUnavailableException e) {
      LOG.debug("Uses of tokens are kept for later", e);
    }
  }

  @Override
  public void close() {
    flush();
  }
}
