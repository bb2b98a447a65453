package io.artifactserver.storage.catalog;

import io.artifactserver.storage.backend.SetupException;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.util.Assert;

/**
 * The caches in front of the catalog. Immutable.
 *
 * @param cacheSize most artifacts, and as many contents and tokens, kept in memory, a count;
 *     default 10000, which takes some 40 MB when full. Lower it to save memory, raise it when
 *     devices ask for more artifacts than that at a time.
 * @param cacheTtl how long an entry is served without asking the database; default 60 s. A deletion
 *     or revocation by another server shows after this time at the latest, so it must not be longer
 *     than the grace period of deleted blobs. Lower it when several servers share a database and
 *     revocations are urgent.
 * @param staleTime how much longer an entry is served while the database cannot be asked; default 1
 *     h. Artifacts that this server deleted, and tokens that it revoked, are not. Raise it when
 *     devices must get their updates through longer outages, lower it when a revocation by other
 *     means than this server must not wait.
 */
@ConfigurationProperties("artifact-server.catalog")
public record CatalogProperties(
    @DefaultValue("10000") int cacheSize,
    @DefaultValue("60s") Duration cacheTtl,
    @DefaultValue("1h") Duration staleTime) {
  /**
   * @throws IllegalArgumentException if a value is negative
   */
  public CatalogProperties {
    Assert.isTrue(
        cacheSize >= 0,
        "artifact-server.catalog.cache-size must not be negative, but is " + cacheSize);
    Assert.isTrue(
        !cacheTtl.isNegative(),
        "artifact-server.catalog.cache-ttl must not be negative, but is " + cacheTtl);
    Assert.isTrue(
        !staleTime.isNegative(),
        "artifact-server.catalog.stale-time must not be negative, but is " + staleTime);
  }

  /**
   * Checks that no entry is served for longer than its bytes are there.
   *
   * @param gracePeriod how long the bytes of a deleted artifact stay
   * @throws SetupException if one might be
   */
  void requireWithin(Duration gracePeriod) {
    if (cacheTtl.compareTo(gracePeriod) > 0) {
      throw new SetupException(
          "artifact-server.catalog.cache-ttl (%d ms) must not be longer than artifact-server.retire.grace-period (%d ms): another server's deletion would be served when its bytes are gone. Lower the one, or raise the other."
              .formatted(cacheTtl.toMillis(), gracePeriod.toMillis()));
    }
  }
}
